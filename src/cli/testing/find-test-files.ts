import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Io } from '../io.js';
import { type NamedFiles, namedFiles, type WantedFiles } from '../named-files.js';

const extensions = ['.test.yaml', '.test.yml'] as const;
const [usual] = extensions;

const testFiles: WantedFiles = {
  pattern: '**/*.test.{yaml,yml}',
  isWanted: (name) => extensions.some((extension) => name.endsWith(extension)),
  none: async (argument) =>
    `there is no test file below ${argument}; \`attractor test --generate review.dot\` writes review${usual}`,
};

/** Test files that the arguments of a call mean: a pipeline means the file with its tests. */
export function findTestFiles(args: readonly string[], io: Pick<Io, 'cwd'>): Promise<NamedFiles> {
  const tests = args.map((argument) => (isPipeline(argument) ? testFileOf(argument, io.cwd()) : argument));
  return namedFiles(tests, io, testFiles);
}

/** True for the name of a pipeline. */
export function isPipeline(file: string): boolean {
  return /\.(?:dot|gv)$/.test(file) && !/[*?[\]{}]/.test(file);
}

/** File with the tests of a pipeline: the one that exists, else the one that would be written. */
export function testFileOf(pipeline: string, cwd: string): string {
  const base = pipeline.slice(0, -path.extname(pipeline).length);
  const found = extensions.find((extension) => existsSync(path.resolve(cwd, base + extension)));
  return base + (found ?? usual);
}

/**
 * Pipeline of a test file, as a person would write it.
 * @param named pipeline that the file names, relative to itself
 */
export function pipelineOf(testFile: string, named: string | undefined): string {
  if (named !== undefined) return path.isAbsolute(named) ? named : path.join(path.dirname(testFile), named);
  return testFile.replace(/(?:\.test)?\.[^.]+$/, '.dot');
}
