import type { CompileOptions } from '../../../compiler/compile.js';
import { fix } from '../../../compiler/fix.js';
import { counted } from '../../../diagnostic/counted.js';
import { type Diagnostic, findingKind, type TextEdit } from '../../../diagnostic/diagnostic.js';
import { editSet } from '../../../diagnostic/edit-set.js';
import type { Span } from '../../../diagnostic/source.js';
import { isAdjustable } from '../../../lint/rule-settings.js';
import { suppressionWords } from '../../../lint/suppressions.js';
import { lineEdits } from '../format/line-edits.js';
import { attributesIn } from '../text/attributes-in.js';
import type { PipelineText } from '../text/pipeline-text.js';
import { shownSpan } from './shown-span.js';

/** Change that an editor offers. */
export interface CodeAction {
  readonly title: string;
  readonly edits: readonly TextEdit[];
  /** Finding that it removes; undefined for one about several. */
  readonly finding: Diagnostic | undefined;
  /** True for the remedy that is certain. */
  readonly isPreferred: boolean;
}

/** Remedies of the findings in a range: their fixes, those of all findings of the same kind, and comments that suppress them. */
export function quickFixes(
  pipeline: PipelineText,
  findings: readonly Diagnostic[],
  range: Span,
): readonly CodeAction[] {
  const here = findings.filter((finding) => {
    const { start, end } = shownSpan(pipeline.text, finding.span);
    return start <= range.end && end >= range.start;
  });
  const fixes = here.flatMap((finding) => fixOf(finding));
  const kinds = new Set(here.filter(isFixable).map(findingKind));
  const ofKinds = [...kinds].flatMap((kind) => fixesOfKind(pipeline, findings, kind));
  const rules = new Map(here.filter(({ rule }) => isAdjustable(rule)).map((one) => [one.rule, one]));
  return [...fixes, ...ofKinds, ...[...rules.values()].flatMap((one) => suppress(pipeline, one))];
}

function fixOf(finding: Diagnostic): readonly CodeAction[] {
  const { fix: remedy } = finding;
  if (remedy === undefined || remedy.edits.length === 0) return [];
  return [{ title: remedy.title, edits: remedy.edits, finding, isPreferred: remedy.unsafe !== true }];
}

function isFixable({ fix: remedy }: Diagnostic): boolean {
  return remedy !== undefined && remedy.edits.length > 0 && remedy.unsafe !== true;
}

function fixesOfKind(
  { text }: PipelineText,
  findings: readonly Diagnostic[],
  kind: string,
): readonly CodeAction[] {
  const same = findings.filter((one) => findingKind(one) === kind && isFixable(one));
  if (same.length < 2) return [];
  const edits = editSet(text);
  const added = same.filter((one) => edits.add(one.fix?.edits ?? [], findingKind(one)));
  const title = `fix all ${added.length} findings of ${kind} in this file`;
  return [{ title, edits: lineEdits(text, edits.apply()), finding: undefined, isPreferred: false }];
}

/** A comment above the line of the finding; none where that line begins inside a text. */
function suppress({ source, parsed }: PipelineText, finding: Diagnostic): readonly CodeAction[] {
  const { line, column } = source.positionAt(finding.span.start);
  const start = finding.span.start - (column - 1);
  const isInText = attributesIn(parsed.document).some(
    ({ attribute: { value } }) => value.span.start < start && start < value.span.end,
  );
  if (isInText) return [];
  const indent = /^[ \t]*/.exec(source.lineText(line))?.[0] ?? '';
  const text = `${indent}// ${suppressionWords[0]} ${finding.rule}\n`;
  const edits = [{ span: { start, end: start }, text }];
  return [{ title: `suppress ${finding.rule} on this line`, edits, finding, isPreferred: false }];
}

/** Every safe fix of the file, until nothing more can be fixed (SEMANTICS 98); undefined if nothing can. */
export function fixAll({ text }: PipelineText, options: CompileOptions): CodeAction | undefined {
  const fixed = fix(text, options);
  if (fixed.text === text) return undefined;
  const title = `fix ${counted(fixed.fixed.length, 'finding')} in this file`;
  return { title, edits: lineEdits(text, fixed.text), finding: undefined, isPreferred: false };
}
