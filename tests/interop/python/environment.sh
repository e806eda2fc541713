# Sourced by scripts that run Python against our definitions.
#
# Needs $PODSAPI_CACHE, or makes do with the usual place, and $PODSAPI_PROTOS, the folder proto/protos.

# Prints the interpreter of an environment with the pinned requirements, made at the first call.
pinned_python() {
  local cache=${PODSAPI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/podsapi} here requirements venv
  here=$(dirname "${BASH_SOURCE[0]}")
  requirements=$here/requirements.txt
  mkdir -p "$cache"
  venv=$cache/python-$(sha256sum <"$requirements" | cut -c1-16)-$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  (
    # Two scripts may come at the same time.
    flock 9
    if [ ! -e "$venv/ready" ]; then
      # What failed half way must not look ready the next time: `set -e` is off in here.
      rm -rf "$venv"
      python3 -m venv "$venv" &&
        "$venv/bin/pip" install --quiet -r "$requirements" >&2 &&
        touch "$venv/ready" || exit
    fi
  ) 9>"$venv.lock" || return
  echo "$venv/bin/python"
}

# Compiles our definitions with an interpreter into Python modules in a folder.
python_stubs() {
  local python=$1 folder=$2 protos
  mapfile -t protos < <(find "$PODSAPI_PROTOS" -name '*.proto' ! -path '*/google/*' ! -path '*/grpc/*' -printf '%P\n' | sort)
  "$python" -m grpc_tools.protoc -I "$PODSAPI_PROTOS" --python_out "$folder" "${protos[@]}"
}
