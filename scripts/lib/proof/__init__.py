"""What the scripts that prove the class-file rewriter share: JVMs, jars from the registry, Java builds, the driver."""
