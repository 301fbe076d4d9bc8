"""Runs commands in turn, A B A B ..., and prints what the operating system counted of each finished process.

stdin: {"rounds": 15, "warmups": 1, "commands": [{"argv": [...], "env": {...}, "remove": [paths], "out": path or null}]}
stdout: {"samples": [[{"wall": s, "cpu": s, "peak": MB, "code": n}, ...] per command]}
"""
import json
import os
import shutil
import sys
import time


def run(command):
    for path in command.get("remove", []):
        shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(path):
            os.remove(path)
    argv = command["argv"]
    null = os.open(os.devnull, os.O_RDWR)
    out = os.open(command.get("out") or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    started = time.perf_counter()
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    child = os.posix_spawnp(argv[0], argv, {**os.environ, **command.get("env", {})}, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - started
    os.close(null)
    os.close(out)
    unit = 1024 if sys.platform.startswith("linux") else 1024 * 1024
    return {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak": usage.ru_maxrss / unit,
        "code": os.waitstatus_to_exitcode(status),
    }


task = json.load(sys.stdin)
samples = [[] for _ in task["commands"]]
for turn in range(task["warmups"] + task["rounds"]):
    for index, command in enumerate(task["commands"]):
        sample = run(command)
        if turn >= task["warmups"]:
            samples[index].append(sample)
json.dump({"samples": samples}, sys.stdout)
