import type { NamedFile, PipelineFiles } from '../../lint/named-files.js';

const plain =
  'digraph child {\n    start [shape=Mdiamond]\n    done  [shape=Msquare]\n    start -> done\n}\n';

/** Pipelines that the examples of rules run, by their names. */
const texts: ReadonlyMap<string, string> = new Map([
  [
    'build.dot',
    'digraph build {\n    graph [inputs="target: linux|macos, jobs: integer = 4"]\n    start [shape=Mdiamond]\n    done  [shape=Msquare]\n    start -> done\n}\n',
  ],
  [
    'broken.dot',
    'digraph broken {\n    start [shape=Mdiamond]\n    work  [prompt="Work"]\n    start -> work\n}\n',
  ],
]);

/** Files next to the examples of rules: all exist whose name is not "missing". */
export const exampleFiles: PipelineFiles = {
  self: 'pipeline.dot',
  read(name): NamedFile {
    if (name.includes('missing')) return { kind: 'missing' };
    return { kind: 'text', id: name, name, text: texts.get(name) ?? plain, files: exampleFiles };
  },
};

/** Programs of the examples of rules: all are installed but one. */
export function isExampleInstalled(program: string): boolean {
  return program !== 'gcloud';
}
