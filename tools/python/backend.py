"""Builds a wheel of the module without any other package, so that pip installs it offline."""

import base64
import hashlib
import os
import zipfile

NAME, VERSION = "parley_lab", "0.1.0"
FOLDER = os.path.dirname(os.path.abspath(__file__))


def _metadata() -> "dict[str, bytes]":
    info = f"{NAME}-{VERSION}.dist-info"
    return {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: parley-lab\nVersion: {VERSION}\nRequires-Python: >=3.9\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: parley\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """build_wheel writes the wheel into a folder and returns its name (PEP 517)."""
    files = _metadata()
    package = os.path.join(FOLDER, "parley")
    for name in sorted(os.listdir(package)):
        if name.endswith(".py") or name == "py.typed":
            with open(os.path.join(package, name), "rb") as source:
                files["parley/" + name] = source.read()
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(text)}\n"
    list_name = f"{NAME}-{VERSION}.dist-info/RECORD"
    files[list_name] = (record + list_name + ",,\n").encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in files.items():
            out.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text)
    return wheel
