import { type CompileOptions, compile } from '../../compiler/compile.js';
import { counted } from '../../diagnostic/counted.js';
import { countDiagnostics } from '../../diagnostic/diagnostic.js';
import { printable } from '../../diagnostic/printable.js';
import { graphAttribute } from '../../graph/attributes.js';
import type { Graph } from '../../graph/graph.js';
import { knownHandlerTypes } from '../../graph/known-handler-types.js';
import { declaredInputs } from '../../graph/values/declared-inputs.js';
import { listedKeys } from '../../graph/values/key-lists.js';
import { childStages } from '../../lint/child-stages.js';
import type { ChildPipeline, PipelineFiles } from '../../lint/named-files.js';
import type { LintContext } from '../../lint/rule.js';
import type { KeyEntry } from '../../parser/key-list/ast.js';
import { typeText } from '../../parser/key-list/value-type.js';
import { pipelineFiles } from '../../run/pipeline-files.js';
import { compileOptionsOf, type ExtensionArguments, extensionsFor } from '../../setup/extensions.js';
import type { Io } from '../io.js';
import { readSource } from '../read-source.js';
import type { TopicPage } from './page.js';

interface PipelineRequest {
  readonly options: ExtensionArguments;
  readonly io: Io;
  readonly page: TopicPage;
}

/** Writes what a pipeline is for and what a run of it needs: its inputs as a form, and its environment (SEMANTICS 101). */
export async function explainPipeline(file: string, { options, io, page }: PipelineRequest): Promise<void> {
  const { name, text } = await readSource(file, io);
  const compiling = compileOptionsOf(await extensionsFor(file, options, io));
  const { graph, source } = compile(text, { name, ...compiling });
  page.title(printable(graph.name), `pipeline, ${name}`);
  const goal = graphAttribute(graph, 'goal');
  if (goal !== '') page.paragraph(printable(goal));
  writeInputs(graph, page);
  const files = pipelineFiles(file === '-' ? undefined : file, { directory: io.cwd() });
  writeChildren(graph, { source, ...childrenIn(files, compiling) }, page);
  const variables = listedKeys(graph.attributes.get('env_requires')).map(({ key }) => key);
  if (variables.length > 0) {
    page.heading('Environment');
    page.list(variables.map((variable) => [`$${variable}`, 'must be set']));
  }
  page.heading('Run');
  page.verbatim(['attractor run', shellWord(file), ...requiredArguments(graph)].join(' '));
}

function writeInputs(graph: Graph, page: TopicPage): void {
  const declared = declaredInputs(graph);
  if (declared === undefined) {
    page.paragraph('The pipeline declares no inputs and takes any (`--set NAME=VALUE`, `--inputs FILE`).');
  } else if (declared.size === 0) {
    page.paragraph('The pipeline takes no inputs.');
  } else {
    page.heading('Inputs');
    page.list([...declared.values()].map((entry) => [entry.key, inputWords(entry)]));
  }
}

/** Context for the children of a graph. */
function childrenIn(
  files: PipelineFiles,
  compiling: CompileOptions,
): Pick<LintContext, 'handlerTypes' | 'childPipeline'> {
  const childPipeline = (path: string): ChildPipeline => {
    const file = files.read(path);
    if (file.kind !== 'text') return file;
    const compiled = compile(file.text, { ...compiling, name: file.name, files: file.files });
    return { kind: 'compiled', ...compiled };
  };
  return { handlerTypes: knownHandlerTypes(compiling.handlerTypes), childPipeline };
}

function writeChildren(graph: Graph, context: LintContext, page: TopicPage): void {
  const stages = [...childStages(graph, context)];
  if (stages.length === 0) return;
  page.heading('Child pipelines');
  page.list(
    stages.map(({ node, file, child }) => [printable(node.id), `${printable(file)}: ${childWords(child)}`]),
  );
}

/** State of a child, or the inputs that it takes. */
function childWords(child: ChildPipeline): string {
  if (child.kind === 'missing') return 'does not exist';
  if (child.kind === 'unusable') return `cannot be read: ${child.problem}`;
  const { errors } = countDiagnostics(child.diagnostics ?? []);
  if (errors > 0) return `has ${counted(errors, 'error')}; \`attractor lint\` shows them`;
  const declared = declaredInputs(child.graph);
  if (declared === undefined) return 'takes any inputs';
  if (declared.size === 0) return 'takes no inputs';
  return [...declared.values()].map((entry) => `${entry.key} (${inputWords(entry)})`).join('; ');
}

function inputWords({ type, isOptional, default: literal }: KeyEntry): string {
  const kind = type === undefined ? 'any' : printable(typeText(type));
  if (isOptional) return `${kind}, optional`;
  return literal === undefined
    ? `${kind}, required`
    : `${kind}, default ${printable(JSON.stringify(literal.value))}`;
}

/** `--set` for each input that a run cannot do without. */
function requiredArguments(graph: Graph): readonly string[] {
  return [...(declaredInputs(graph)?.values() ?? [])]
    .filter(({ isOptional, default: literal }) => !isOptional && literal === undefined)
    .map(({ key, type }) => `--set ${key}=${placeholder(type)}`);
}

function placeholder(type: KeyEntry['type']): string {
  return type?.kind === 'words' ? shellWord(type.words[0] ?? '') : (type?.kind ?? 'value').toUpperCase();
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
