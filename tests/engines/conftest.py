"""One session of Spark for all tests that want it, on two threads; a task may fail three times before its job does."""

import os
import shutil
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

PLAIN = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


@pytest.fixture(scope="session")
def java() -> str:
    """Skip, and say so, where there is no Java; fail where there must be one."""
    found = shutil.which("java")
    if found is None and os.environ.get("CI"):
        pytest.fail("Spark needs Java, and there is none here")
    if found is None:
        pytest.skip("there is no Java here, so Spark is not tried; it needs version 17")
    return found


@pytest.fixture(scope="session")
def spark(java: str) -> Iterator[Any]:
    """Start Spark, and stop it after the last test."""
    del java
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PySpark warns of the pandas and the sockets it has itself
        from pyspark.sql import SparkSession  # noqa: PLC0415 - only where there is Java

        builder: Any = SparkSession.builder
        builder = builder.master("local[2,4]")
        for name, value in PLAIN.items():
            builder = builder.config(name, value)
        session: Any = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
