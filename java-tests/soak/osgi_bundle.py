"""Builds the bundle of the OSGi program: compiles it against the framework's jar, once per work folder."""

import zipfile

from iprofdev import javabuild

MANIFEST = ("Manifest-Version: 1.0\nBundle-ManifestVersion: 2\nBundle-SymbolicName: soak.bundle\nBundle-Version: 1.0.0\n"
            "Bundle-Activator: bundle.Activator\nImport-Package: org.osgi.framework\n")


def pack(class_path, folder):
    """Creates folder/bundle/soak.jar, the only bundle that the framework deploys."""
    classes = javabuild.classes("java-tests/soak/osgi", class_path)
    target = folder / "bundle" / "soak.jar"
    target.parent.mkdir()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", MANIFEST)
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes))
