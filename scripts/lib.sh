# shellcheck shell=bash
# What the scripts share: packages, steps with elapsed time, and one way to configure and build.
# Source it; it changes to the root of the tree.
#
#   SYMBIOSIS_JOBS   processes at once (default: one per core)

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit
script=$(basename "$0")
jobs=${SYMBIOSIS_JOBS:-$(nproc)}
logs=build/logs
mkdir -p "$logs"

# Debian 12 packages, by what needs them.
# shellcheck disable=SC2034 # the scripts that source this file choose
{
  build_packages=(clang-19 lld-19 llvm-19-dev libclang-rt-19-dev libz3-dev nlohmann-json3-dev libgraphviz-dev
    libcli11-dev libfmt-dev libzstd-dev libxxhash-dev cmake ninja-build pkg-config g++)
  test_packages=(libgtest-dev libgmock-dev z3 git gdb make ccache python3 python3-jsonschema csmith libcsmith-dev chromium
    fonts-dejavu-core)
  # node may have come another way
  command -v node >/dev/null || test_packages+=(nodejs)
  command -v npm >/dev/null || test_packages+=(npm)
  lint_packages=(clang-format-19 clang-tidy-19 shellcheck python3)
  bench_packages=(libbenchmark-dev)
  nightly_packages=(dpkg-dev)
}

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s: %s\n' "$script" "$*" >&2
  exit 1
}

# --- steps ---

# The last line of a log that says something, cut to fit a terminal.
last_line() { tail -c 2000 "$1" | tr '\r' '\n' | grep -v '^[[:space:]]*$' | tail -n 1 | cut -c 1-70 || true; }

# Shows that a running step is alive by the last line of its log: in place on a terminal, else every 30 seconds.
watch_step() {
  local pid=$1 title=$2 log=$3 begin=$4 shown=$4
  local every=30
  if [[ -t 1 ]]; then every=1; fi
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    if ((SECONDS - shown < every)); then continue; fi
    shown=$SECONDS
    if [[ -t 1 ]]; then printf '\r\033[K'; fi
    printf '  ... %s (%d s) %s' "$title" $((SECONDS - begin)) "$(last_line "$log")"
    if [[ ! -t 1 ]]; then printf '\n'; fi
  done
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
}

# try_step TITLE COMMAND…: runs the command with its output in a log and returns its status; a failure shows the end
# of the log and where the rest is.
try_step() {
  local title=$1 begin=$SECONDS status=0 pid log
  shift
  log=$logs/$script-$(printf '%s' "$title" | tr -cs '[:alnum:]' '-').log
  set -m # a process group of its own, so that an interrupt can end all of it
  "$@" </dev/null >"$log" 2>&1 &
  pid=$!
  set +m
  trap 'kill -- -'"$pid"' 2>/dev/null; fail "interrupted at: '"$title"'"' INT TERM
  watch_step "$pid" "$title" "$log" "$begin"
  wait "$pid" || status=$?
  trap - INT TERM
  if ((status == 0)); then
    printf '  ok      %-44s %4d s\n' "$title" $((SECONDS - begin))
    return 0
  fi
  printf '  FAILED  %-44s %4d s\n' "$title" $((SECONDS - begin))
  tail -n 40 "$log" | sed 's/^/  | /'
  printf '  the whole log: %s\n' "$log"
  return "$status"
}

# The same, but a failure ends the script.
step() { try_step "$@" || fail "stopped at: $1"; }

# --- packages ---

as_root() {
  if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# Prints those of the packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || say "$package"
  done
}

apt_update() { as_root apt-get update -q || { sleep 5 && as_root apt-get update -q; }; }
apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# install_packages NAME…: installs what is missing, and touches nothing if all is there.
install_packages() {
  local missing
  command -v dpkg-query >/dev/null || fail "this machine has no dpkg; install the equivalents of: $*"
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return; fi
  say "  missing packages: ${missing[*]}"
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || fail "not root and no sudo; as root, run: apt-get install ${missing[*]}"
    sudo -v || fail "sudo refused; as root, run: apt-get install ${missing[*]}"
  fi
  step "apt-get update" apt_update
  step "apt-get install" apt_install "${missing[@]}"
}

# playwright-core as the lockfile names it, for the tests of the page; nothing to do if it is there.
install_browser_driver() {
  local folder=tests/browser
  if [[ $folder/node_modules/.package-lock.json -nt $folder/package-lock.json ]]; then return; fi
  step "npm ci" npm ci --prefix "$folder" --no-audit --no-fund
}

# --- building ---

# With ccache, where it is installed: what one tree or variant has compiled is not compiled again in the next.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
with_cache() {
  local cache=()
  if command -v ccache >/dev/null; then cache=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake "$@" "${cache[@]}"
}

# build_preset PRESET [CMAKE ARGUMENT…]: configures and builds into build/PRESET.
build_preset() {
  local preset=$1
  shift
  step "configure $preset" with_cache --preset "$preset" "$@"
  step "build $preset" cmake --build "build/$preset" --parallel "$jobs"
}

# --- checks of a tree ---
# nightly and weekly keep what they found about a commit in one table, so that what was run on which tree is never a
# matter of memory: build/checks/COMMIT.tsv, a line per check: name, result, seconds, when.

checked_commit() {
  local commit
  commit=$(git rev-parse --short HEAD)
  if [[ -n $(git status --porcelain --untracked-files=no) ]]; then commit+=-changed; fi
  say "$commit"
}

# check TITLE COMMAND…: runs it as a step, does not stop at a failure, and notes the result.
check() {
  local begin=$SECONDS result=passed table
  table=build/checks/$(checked_commit).tsv
  mkdir -p build/checks
  try_step "$@" || result=FAILED
  printf '%s\t%s\t%d\t%s\n' "$1" "$result" $((SECONDS - begin)) "$(date -u +%FT%RZ)" >>"$table"
}

# Prints the latest result of every check of this tree; fails if one of them failed.
print_checks() {
  local commit table
  commit=$(checked_commit)
  table=build/checks/$commit.tsv
  printf '\nchecks of %s\n%-48s %-8s %8s  %s\n' "$commit" check result seconds when
  awk -F'\t' '{ if (!($1 in row)) order[++n] = $1; row[$1] = sprintf("%-48s %-8s %8d  %s", $1, $2, $3, $4); bad[$1] = ($2 == "FAILED") }
    END { for (i = 1; i <= n; ++i) { print row[order[i]]; failed += bad[order[i]] } exit failed > 0 }' "$table" ||
    fail "some checks failed; their logs are in $logs"
}

# Configure, build and test one variant: variant FOLDER CTEST-FILTER TARGETS CMAKE-ARGUMENT…; the filter `.` takes every
# test of what was built. `&&`, because nothing else stops a function called in a condition.
variant() {
  local folder=$1 filter=$2 targets
  read -ra targets <<<"$3"
  shift 3
  with_cache -B "$folder" "$@" && cmake --build "$folder" --parallel "$jobs" --target "${targets[@]}" &&
    ctest --test-dir "$folder" --output-on-failure --no-tests=error --parallel "$jobs" -R "$filter"
}
