"""The obvious script: reads a CSV, posts batches one after the other, writes what came back. It checks and promises nothing."""
import base64
import csv
import json
import sys
import urllib.request

source, base_url, results = sys.argv[1:]
headers = {"content-type": "application/json", "authorization": "Basic " + base64.b64encode(b"ann:secret").decode()}
columns = ["row", "status", "hash", "short_url", "long_url", "code", "message"]


def item(row):
    return {
        "custom_hash": row["custom_hash"],
        "long_url": row["long_url"],
        "note": row["note"],
        "tags": row["tags"].split(","),
        "email_stats": row["email_stats"] == "true",
    }


def post(batch):
    body = json.dumps({"urls": batch}).encode()
    with urllib.request.urlopen(urllib.request.Request(base_url + "/urls", data=body, headers=headers)) as answer:
        return json.load(answer)["urls"]


with open(source, newline="", encoding="utf-8") as rows, open(results, "w", newline="", encoding="utf-8") as out:
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    number = 0
    batch = []

    def send():
        global number
        for url in post(batch):
            number += 1
            error = url["error"]
            writer.writerow(
                {
                    "row": number,
                    "status": "failed" if error["code"] else "created",
                    "hash": url["hash"],
                    "short_url": url["short_url_with_protocol"],
                    "long_url": url["long_url"],
                    "code": error["code"],
                    "message": error["message"],
                }
            )
        batch.clear()

    for row in csv.DictReader(rows):
        batch.append(item(row))
        if len(batch) == 1000:
            send()
    if batch:
        send()
