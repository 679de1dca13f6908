#!/usr/bin/env bash
# give_way.sh RUNTIME NAMES HEAP_NAMES: what the program defines itself is the program's.
#
# The runtime is written with functions named as in libc (`send`), because that is how a wrapper reads. Linked like
# that, a program that has a `send` of its own, function or variable, would not link, or would lose it to ours. So,
# in the archive RUNTIME:
#   - every such name becomes `__symbiosis_own_NAME`, in definitions and in the runtime's own calls, and so do its
#     calls of functions that private_libc.cpp has;
#   - one more member refers to all of the names and so asks the linker for them.
# NAMES is an archive with a member for each name that does nothing but jump there. An archive is searched only for
# what nobody has defined before it: objects, archives and shared libraries of the program come first, and their
# names are theirs; what is left is ours before it is libc's. HEAP_NAMES has those that allocate and free: they come
# together or not at all, and not where a sanitizer has an allocator of its own (driver/link_line.cpp).
set -euo pipefail
runtime=$(realpath "$1")
names=$(realpath -m "$2")
heap_names=$(realpath -m "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

defined=$(nm --defined-only --extern-only --format=posix "$runtime" | awk 'NF > 2 && $2 == "T" { print $1 }' | sort -u)
grep -v symbiosis <<<"$defined" >"$work/list"
private=$(sed -n 's/^__symbiosis_own_//p' <<<"$defined")
{ cat "$work/list" && echo "$private"; } | awk '{ print $1, "__symbiosis_own_" $1 }' >"$work/renamed"
objcopy --redefine-syms="$work/renamed" "$runtime"

note='.section .note.GNU-stack,"",@progbits'
{ sed 's/.*/.globl &/' "$work/list" && echo "$note"; } >"$work/symbiosis_names.s"
as "$work/symbiosis_names.s" -o "$work/symbiosis_names.o"
ar rs "$runtime" "$work/symbiosis_names.o" 2>/dev/null

mkdir "$work/members" "$work/heap"
while read -r name; do
  printf '.text\n.globl %s\n.hidden %s\n.type %s,@function\n%s: jmp %s\n.size %s,.-%s\n%s\n' \
    "$name" "__symbiosis_own_$name" "$name" "$name" "__symbiosis_own_$name" "$name" "$name" "$note" |
    as - -o "$work/members/$name.o"
  case $name in
  malloc | calloc | realloc | free | memalign | aligned_alloc | posix_memalign | valloc)
    mv "$work/members/$name.o" "$work/heap/"
    ;;
  esac
done <"$work/list"
rm -f "$names" "$heap_names"
ar rcs "$heap_names" "$work"/heap/*.o
ar rcs "$names" "$work"/members/*.o
