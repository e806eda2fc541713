use tokio::io::{AsyncReadExt, AsyncWriteExt};

use bytes::Bytes;

use super::*;

const LIMIT: usize = 256 << 10;

/// Returns a gathered end and the other end of a pipe that holds `room` bytes.
fn pipe(
    room: usize,
) -> (
    Gathered<tokio::io::DuplexStream>,
    tokio::io::DuplexStream,
    Arc<Ledger>,
) {
    let (ours, theirs) = tokio::io::duplex(room);
    let ledger = Arc::new(Ledger::default());
    (
        Gathered::new(ours, Arc::clone(&ledger), LIMIT),
        theirs,
        ledger,
    )
}

async fn drain(gathered: &Gathered<tokio::io::DuplexStream>) -> io::Result<()> {
    std::future::poll_fn(|cx| gathered.poll_drain(cx)).await
}

#[tokio::test]
async fn the_first_settings_say_another_size_of_header_lists_and_nothing_else() {
    let settings = |list: u32| {
        let [a, b, c, d] = list.to_be_bytes();
        let first = [0, 3, 0, 0, 1, 0x90];
        let last = [0, 6, a, b, c, d];
        [&[0, 0, 12, 4, 0, 0, 0, 0, 0][..], &first, &last].concat()
    };
    let update = [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 6, 0, 6];
    let sent = [&settings(1 << 20)[..], &update].concat();
    let (mut gathered, mut theirs, _) = pipe(1_000);
    gathered.announce_header_list(7_000);
    gathered.write_all(&sent).await.unwrap();
    gathered.write_all(&settings(9)).await.unwrap();
    drain(&gathered).await.unwrap();
    let expected = [&settings(7_000)[..], &update, &settings(9)].concat();
    let mut found = vec![0; expected.len()];
    theirs.read_exact(&mut found).await.unwrap();
    assert_eq!(found, expected);

    for odd in [
        &b""[..],
        b"x",
        &settings(1)[..5],
        &settings(1)[..20],
        &update,
    ] {
        let slices = [IoSlice::new(odd)];
        assert_eq!(announcing(&slices, 7), odd);
    }
}

#[tokio::test]
async fn nothing_is_written_before_it_is_drained() {
    let (mut gathered, mut theirs, _) = pipe(100);
    gathered.write_all(b"ab").await.unwrap();
    gathered.flush().await.unwrap();
    gathered.write_all(b"cd").await.unwrap();
    let mut buffer = [0; 8];
    let early = std::future::poll_fn(|cx| {
        let mut buffer = ReadBuf::new(&mut buffer);
        Poll::Ready(Pin::new(&mut theirs).poll_read(cx, &mut buffer).is_ready())
    });
    assert!(!early.await);
    drain(&gathered).await.unwrap();
    assert_eq!(theirs.read(&mut buffer).await.unwrap(), 4);
    assert_eq!(&buffer[..4], b"abcd");
}

#[tokio::test]
async fn only_reads_that_find_something_take_of_the_turn() {
    let (mut gathered, mut theirs, _) = pipe(100);
    let mut read = || {
        let mut byte = [0];
        let mut buffer = ReadBuf::new(&mut byte);
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let read = Pin::new(&mut gathered).poll_read(&mut cx, &mut buffer);
        read.is_ready()
    };
    for _ in 0..10 {
        assert!(!read());
    }
    theirs.write_all(&[1; 10]).await.unwrap();
    assert_eq!([read(), read(), read()], [true, true, false]);
}

#[tokio::test]
async fn who_writes_waits_while_the_reader_does_not_read() {
    let (mut gathered, mut theirs, _) = pipe(10);
    let write_all = tokio::spawn(async move {
        gathered.write_all(&vec![1; 1 << 20]).await?;
        for _ in 0..4 {
            gathered.write_all(&vec![1; 16 << 10]).await?;
        }
        gathered.shutdown().await
    });
    let mut head = [0; 100];
    theirs.read_exact(&mut head).await.unwrap();
    assert!(!write_all.is_finished());
    let mut rest = Vec::new();
    theirs.read_to_end(&mut rest).await.unwrap();
    assert_eq!(rest.len() + head.len(), (1 << 20) + (64 << 10));
    write_all.await.unwrap().unwrap();
}

#[tokio::test]
async fn no_more_is_gathered_than_the_limit_and_one_write_beyond_it() {
    let (mut gathered, _theirs, _) = pipe(1);
    let mut writes = 0;
    let mut cx = Context::from_waker(std::task::Waker::noop());
    while Pin::new(&mut gathered)
        .poll_write(&mut cx, &[1; 1 << 10])
        .is_ready()
    {
        writes += 1;
    }
    // The pipe takes one byte of them, and then there is room for no other write.
    assert_eq!(writes, LIMIT / (1 << 10) + 1);
}

#[tokio::test]
async fn noted_bytes_are_written_from_where_they_are() {
    let (mut gathered, mut theirs, ledger) = pipe(10_000);
    let pod = Bytes::from(vec![7; 5_000]);
    ledger.note([&pod].into_iter());
    gathered.write_all(&pod).await.unwrap();
    assert!(!pod.is_unique());
    drain(&gathered).await.unwrap();
    assert!(pod.is_unique());
    let mut read = vec![0; 5_000];
    theirs.read_exact(&mut read).await.unwrap();
    assert_eq!(read, pod);
}

#[tokio::test]
async fn a_reader_that_went_away_is_an_error() {
    let (mut gathered, theirs, _) = pipe(10);
    drop(theirs);
    gathered.write_all(b"ab").await.unwrap();
    assert!(drain(&gathered).await.is_err());
}
