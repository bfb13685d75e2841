import path from 'node:path';
import type { NamedFile, PipelineFiles } from '../../../lint/named-files.js';
import { pipelineFiles } from '../../../run/pipeline-files.js';
import { uriOf } from './workspace.js';

/**
 * Files that a pipeline names, as the editor has them: an open document instead of the file on disk. Their names are whole paths, from
 * which URIs can be made.
 * @param file path of the pipeline
 * @param openText text of an open document, by its URI
 */
export function overlaidFiles(file: string, openText: (uri: string) => string | undefined): PipelineFiles {
  const onDisk = pipelineFiles(file);
  return {
    self: onDisk.self,
    read(name): NamedFile {
      const whole = path.resolve(path.dirname(file), name);
      const text = openText(uriOf(whole));
      if (text !== undefined)
        return { kind: 'text', id: whole, name: whole, text, files: overlaidFiles(whole, openText) };
      const found = onDisk.read(name);
      return found.kind === 'text' ? { ...found, name: whole, files: overlaidFiles(whole, openText) } : found;
    },
  };
}
