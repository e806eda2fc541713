//! How much of an answer is read: just the most, and no byte more.

use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

use super::*;

/// Asks a server that answers with this head, and then with so many bytes.
async fn answered(head: String, mut bytes: usize) -> Result<Vec<u8>, FetchError> {
    const PIECE: usize = 1 << 20;
    let (near, mut far) = duplex(PIECE);
    let serving = tokio::spawn(async move {
        let mut asked = [0; 1 << 10];
        let _length = far.read(&mut asked).await;
        far.write_all(head.as_bytes()).await?;
        let piece = vec![b' '; PIECE];
        while bytes > 0 {
            let next = bytes.min(PIECE);
            far.write_all(&piece[..next]).await?;
            bytes -= next;
        }
        far.shutdown().await
    });
    let request = Request::get("/pods").header(HOST, "node");
    let answer = exchange(TokioIo::new(near), request.body(Empty::new()).unwrap()).await;
    serving.abort();
    answer
}

#[tokio::test]
async fn an_answer_of_just_the_most_bytes_is_read_whether_it_is_announced_or_not() {
    for length in [
        format!("content-length: {MAX_TEXT_BYTES}\r\n"),
        String::new(),
    ] {
        let head = format!("HTTP/1.1 200 OK\r\n{length}\r\n");
        let answer = answered(head, MAX_TEXT_BYTES).await.unwrap();
        assert_eq!(answer.len(), MAX_TEXT_BYTES);
    }
}

#[tokio::test]
async fn an_answer_of_one_byte_more_is_refused_and_an_announced_one_at_once() {
    let more = MAX_TEXT_BYTES + 1;
    let head = "HTTP/1.1 200 OK\r\n\r\n".to_owned();
    let read = answered(head, more).await;
    assert!(matches!(read, Err(FetchError::TooLarge)), "{read:?}");
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {more}\r\n\r\n");
    let announced = answered(head, 0).await;
    assert!(
        matches!(announced, Err(FetchError::TooLarge)),
        "{announced:?}"
    );
}
