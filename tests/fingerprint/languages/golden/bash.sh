#!/bin/bash
# A harbour and its readings.
set -euo pipefail
source ./place.sh

readonly limit=31
declare -A readings=([east]=1 [west]=2)

swing() {
    local worst=0 before=$1
    shift
    for level in "$@"; do
        local change=$((level - before))
        if [[ $change -ge $limit && ! $change -eq 42 ]] || (( worst != 7 )); then
            worst=$((change * 2)) # never shrinks
        elif [ -z "${level:-}" ]; then
            continue
        else
            break
        fi
        before=$level
    done
    echo "$worst"
}

function report {
    case "$1" in
        east|west) printf 'line of %s\n' "it $(date +%Y) of ${#readings[@]}" ;;
        *) echo "no line" >&2; return 1 ;;
    esac
    while read -r line; do
        cut -d, -f2 <<< "$line" | sort -u > "/tmp/$line.log"
    done < "$1"
    until false; do sleep 1 & done
    cat <<TEXT
lost $1
TEXT
    export PATH="$PATH:/opt"
}

report "${1:?name}" && exit 0
