/** A file system that counts what is made, written and flushed through it. */
export function countingFileSystem(fileSystem) {
  const counts = { directories: 0, files: 0, bytes: 0, syncs: 0 };
  const through = new Set();
  const counting = {
    ...fileSystem,
    mkdir(directory) {
      fileSystem.mkdir(directory);
      counts.directories += 1;
    },
    open(file, flags) {
      if (flags !== 'r' && !fileSystem.exists(file)) counts.files += 1;
      const descriptor = fileSystem.open(file, flags);
      if (flags === 'as') through.add(descriptor);
      else through.delete(descriptor);
      return descriptor;
    },
    write(descriptor, bytes, offset) {
      const written = fileSystem.write(descriptor, bytes, offset);
      counts.bytes += written;
      if (through.has(descriptor)) counts.syncs += 1;
      return written;
    },
    writeFile(file, text) {
      if (!fileSystem.exists(file)) counts.files += 1;
      counts.bytes += Buffer.byteLength(text);
      fileSystem.writeFile(file, text);
    },
    fsync(descriptor) {
      counts.syncs += 1;
      fileSystem.fsync(descriptor);
    },
    fdatasync(descriptor) {
      counts.syncs += 1;
      fileSystem.fdatasync(descriptor);
    },
    fdatasyncSoon(descriptor) {
      counts.syncs += 1;
      return fileSystem.fdatasyncSoon(descriptor);
    },
  };
  return { fileSystem: counting, counts };
}
