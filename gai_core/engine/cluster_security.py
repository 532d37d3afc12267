"""Encrypted connections to a cluster (`tls://…`): certificate files from the environment.

Where these are not set, Dask's own settings hold (`distributed.comm.tls`).
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gai_core.basics import InputError, Words

if TYPE_CHECKING:
    from distributed import Security

FILES = {
    "tls_ca_file": "GAI_TLS_CA",
    "tls_client_cert": "GAI_TLS_CERT",
    "tls_client_key": "GAI_TLS_KEY",
}
"""The authority's certificate, ours, our key: Dask's names, and the variables with the files."""


def security(address: str, source: Words) -> "Security":
    """How to connect to an address: with certificates to tls://, without them to tcp://."""
    from distributed import Security

    if not address.startswith("tls://"):
        return Security()
    given = {name: os.environ.get(variable, "") for name, variable in FILES.items()}
    for name, file in given.items():
        if file and not Path(file).is_file():
            raise InputError(f"{FILES[name]} names {file}, which is no file", source=source)
    found = Security(
        require_encryption=True, **{name: file for name, file in given.items() if file}
    )
    missing = [variable for name, variable in FILES.items() if not getattr(found, name)]
    if missing:
        raise InputError(
            f"an encrypted connection needs certificates; set {', '.join(missing)} to "
            "their files, or Dask's own distributed.comm.tls",
            source=source,
        )
    return found
