import { type CompileOptions, compile } from '../../compiler/compile.js';
import { countDiagnostics, type Diagnostic, type DiagnosticCounts } from '../../diagnostic/diagnostic.js';
import { SourceText } from '../../diagnostic/source.js';
import type { HandlerType } from '../../graph/handler-types.js';
import { lower } from '../../graph/lower.js';
import type { PipelineFiles } from '../../lint/named-files.js';
import type { RuleSetting } from '../../lint/rule-settings.js';
import { parseDot } from '../../parser/dot/parse.js';
import { noPipelineFiles, pipelineFiles } from '../../run/pipeline-files.js';
import type { Literal } from '../../secrets/literal-matcher.js';
import { redactorOf } from '../../secrets/redactor.js';
import type { DiagnosticJson } from '../api/problem.js';
import { diagnosticsJson } from '../diagnostics-json.js';

/** A posted text, with all that judging it depends on, as data for another thread. */
export interface TextToJudge {
  readonly text: string;
  /** Name of the text in findings. */
  readonly name: string;
  readonly handlerTypes: readonly HandlerType[];
  readonly ruleSettings: ReadonlyMap<string, RuleSetting>;
  /** Files that it may name: none of them exists, or those below a directory. The rules about files are off if undefined. */
  readonly files: 'missing' | FilesBelow | undefined;
  /** Maximum of nodes, edges and subgraphs; none if undefined. */
  readonly mostJudged: number | undefined;
  /** With `syntax`, only the parser judges it. */
  readonly checks: 'syntax' | 'all';
}

/** Files of this machine, without the secrets whose spellings are given. */
export interface FilesBelow {
  readonly directory: string;
  readonly secrets: { readonly literals: readonly Literal[]; readonly names: readonly string[] };
}

export type JudgedText =
  | {
      readonly kind: 'judged';
      /** At most `mostFindings`, errors before others. */
      readonly diagnostics: readonly DiagnosticJson[];
      /** Of all findings. */
      readonly summary: DiagnosticCounts;
    }
  /** It has more nodes, edges and subgraphs than are judged. */
  | { readonly kind: 'too_large'; readonly size: number };

/** Module in which a thread finds `judgeText`: the bundle's chunk; of the sources, which Node cannot load, undefined. */
export const judgeModule = import.meta.url.endsWith('.ts') ? undefined : import.meta.url;

/**
 * Judges a pipeline by lint.
 * @param more rules and transforms of plugins, which are functions and no data
 */
export function judgeText(
  { text, name, handlerTypes, ruleSettings, files, mostJudged, checks }: TextToJudge,
  more: Pick<CompileOptions, 'rules' | 'transforms'> = {},
): JudgedText {
  if (checks === 'syntax') return judged(parseDot(text).diagnostics, new SourceText(name, text));
  if (mostJudged !== undefined) {
    const { graph } = lower(parseDot(text).document);
    const size = graph.nodes.size + graph.edges.length + graph.subgraphs.length;
    if (size > mostJudged) return { kind: 'too_large', size };
  }
  const { rules, transforms } = more;
  const { source, diagnostics } = compile(text, {
    name,
    handlerTypes,
    ruleSettings,
    rules,
    transforms,
    files: files === undefined ? undefined : filesOf(files),
  });
  return judged(diagnostics, source);
}

function judged(diagnostics: readonly Diagnostic[], source: SourceText): JudgedText {
  return {
    kind: 'judged',
    diagnostics: diagnosticsJson(firstFindings(diagnostics), source),
    summary: countDiagnostics(diagnostics),
  };
}

/** Findings that an answer has: a hostile text can have hundreds of thousands, and all other requests wait while they are written. */
const mostFindings = 5000;

function firstFindings(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  if (diagnostics.length <= mostFindings) return diagnostics;
  const isError = ({ severity }: Diagnostic) => severity === 'error';
  const errorsFirst = [...diagnostics.filter(isError), ...diagnostics.filter((finding) => !isError(finding))];
  const kept = new Set(errorsFirst.slice(0, mostFindings));
  return diagnostics.filter((finding) => kept.has(finding));
}

function filesOf(files: 'missing' | FilesBelow): PipelineFiles {
  if (files === 'missing') return noPipelineFiles;
  const { directory, secrets } = files;
  return pipelineFiles(undefined, { directory, secrets: redactorOf(secrets.literals, secrets.names) });
}
