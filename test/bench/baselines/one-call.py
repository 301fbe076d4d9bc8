import base64
import json
import sys
import urllib.request

request = urllib.request.Request(
    sys.argv[1] + "/urls",
    data=json.dumps({"urls": [{"long_url": "https://nodejs.org/"}]}).encode(),
    headers={"content-type": "application/json", "authorization": "Basic " + base64.b64encode(b"ann:secret").decode()},
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer)["urls"])
