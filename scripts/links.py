"""The links of the pages: each file that one names is there, and each heading.

    links.py

Looks at all tracked .md files; links to the web are left alone. Exit status 1 when one leads nowhere."""

import os
import re
import subprocess
import sys


def headings(path):
    """The anchors of a page, as they are made of its headings."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, flags=re.M)}


def main():
    pages = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    bad = 0
    for page in pages:
        with open(page, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, 1):
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                if not os.path.exists(path) or (anchor and path.endswith(".md") and anchor not in headings(path)):
                    print(f"{page}:{number}: the link {target} leads nowhere")
                    bad += 1
    return bad != 0


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    sys.exit(main())
