import { z } from 'zod';
import { type FixedText, fix } from '../../compiler/fix.js';
import { counted } from '../../diagnostic/counted.js';
import { findingKind } from '../../diagnostic/diagnostic.js';
import { editSet } from '../../diagnostic/edit-set.js';
import { addsErrors } from '../../lint/adds-errors.js';
import { UsageError } from '../../setup/usage-error.js';
import { countText, findingsData, findingsText, type NumberedFinding, numberedFindings } from './findings.js';
import { compiled, compileText, pipelineKeys } from './pipeline-argument.js';
import { defineTool } from './tool.js';
import type { PipelineText } from './workbench.js';

/** Makes fixes: all safe ones, and the guesses that the call names. */
export const fixTool = defineTool({
  name: 'fix',
  title: 'Fix a pipeline',
  description:
    'Applies the safe fixes of what check finds, and with findings=[…] also the fixes of those findings that are only a guess. A file is changed in place; of a text the answer has the fixed text. Answers what was fixed and the findings that remain.',
  effects: 'files',
  input: z.strictObject({
    ...pipelineKeys,
    findings: z
      .array(z.number().int().min(1))
      .optional()
      .describe('Numbers of findings, as check gives them, whose fix is intended even if it is a guess'),
  }),
  async call({ findings: chosen = [], ...argument }, workbench) {
    const { pipeline, compilation } = await compiled(argument, workbench);
    const findings = numberedFindings(compilation.diagnostics);
    const begun = withChosen(pipeline, findings, chosen);
    const fixed = fix(begun, { name: pipeline.name, ...pipeline.options });
    const isChanged = fixed.text !== pipeline.text;
    if (isChanged && pipeline.file !== undefined) workbench.write(pipeline.file, fixed.text);
    const done = [
      ...findings
        .filter(({ number }) => chosen.includes(number))
        .map(({ diagnostic }) => ({ rule: findingKind(diagnostic), title: diagnostic.fix?.title ?? '' })),
      ...fixed.fixed.map((diagnostic) => ({
        rule: findingKind(diagnostic),
        title: diagnostic.fix?.title ?? '',
      })),
    ];
    const remaining = numberedFindings(fixed.compilation.diagnostics);
    const { source } = fixed.compilation;
    return {
      text: answerText(pipeline, done, fixed, remaining),
      data: {
        changed: isChanged,
        text: pipeline.file === undefined ? fixed.text : undefined,
        fixed: done,
        withheld: fixed.withheld.length,
        ...findingsData(remaining, source),
      },
    };
  },
});

/**
 * Text with the fixes of the chosen findings.
 * @throws UsageError for a finding that does not exist or has no fix, and fixes that exclude each other or add errors
 */
function withChosen(
  pipeline: PipelineText,
  findings: readonly NumberedFinding[],
  chosen: readonly number[],
): string {
  if (chosen.length === 0) return pipeline.text;
  const edits = editSet(pipeline.text);
  for (const number of new Set(chosen)) {
    const found = findings.find((one) => one.number === number)?.diagnostic;
    if (found === undefined)
      throw new UsageError(
        `there is no finding ${number}: ${pipeline.name} has ${findings.length}. check numbers them`,
      );
    const { fix: remedy } = found;
    if (remedy === undefined || remedy.edits.length === 0)
      throw new UsageError(
        `finding ${number} (${findingKind(found)}) has no fix to apply${remedy === undefined ? '' : `; to do: ${remedy.title}`}`,
      );
    if (!edits.add(remedy.edits, findingKind(found)))
      throw new UsageError(
        `the fix of finding ${number} changes the same text as that of another; apply one, and check again`,
      );
  }
  const text = edits.apply();
  const before = findings.map(({ diagnostic }) => diagnostic);
  // A text that can be read shows errors that nobody could see before.
  const isReading = findings.some(
    ({ number, diagnostic }) => chosen.includes(number) && diagnostic.rule === 'syntax',
  );
  if (isReading || !addsErrors(before, compileText({ ...pipeline, text }).diagnostics)) return text;
  throw new UsageError(
    `the fixes of findings ${chosen.join(', ')} would add an error, so nothing was changed; change the text by hand`,
  );
}

interface Done {
  readonly rule: string;
  readonly title: string;
}

function answerText(
  { name, file, text: before }: PipelineText,
  done: readonly Done[],
  { text, withheld, compilation }: FixedText,
  remaining: readonly NumberedFinding[],
): string {
  const lines = [
    done.length === 0
      ? `nothing to fix in ${name}`
      : `fixed ${counted(done.length, 'problem')} in ${name}${file === undefined || text === before ? '' : ', and wrote it'}`,
    ...done.map(({ rule, title }) => `- ${rule}: ${title}`),
    ...(withheld.length === 0
      ? []
      : [
          `${counted(withheld.length, 'fix', 'fixes')} not made, because more errors would show; findings=[…] applies them`,
        ]),
    `${remaining.length === 0 ? 'No findings remain' : `Remaining: ${countText(remaining)}`}`,
    findingsText(remaining, compilation.source),
    ...(file === undefined && done.length > 0 ? [`\n${text}`] : []),
  ];
  return lines.filter((line) => line !== '').join('\n');
}
