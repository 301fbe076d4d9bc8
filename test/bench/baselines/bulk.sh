#!/bin/sh
# The obvious loop: one call for each row. usage: bulk.sh <csv> <base url>
tail -n +2 "$1" | while IFS=, read -r hash url rest; do
  jq -n --arg hash "$hash" --arg url "$url" '{urls: [{custom_hash: $hash, long_url: $url}]}' |
    curl -s -u ann:secret --json @- "$2/urls" | jq -r '.urls[0].short_url'
done
