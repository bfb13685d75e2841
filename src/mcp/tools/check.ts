import { z } from 'zod';
import type { VerdictJson } from '../../check/verdict-json.js';
import { commandProblem } from './command-answer.js';
import { countText, findingsData, findingsText, numberedFindings } from './findings.js';
import { commandInput, compiled, pipelineKeys } from './pipeline-argument.js';
import { defineTool, type ToolCall } from './tool.js';
import type { PipelineText, Workbench } from './workbench.js';

/** States after which the search for a run that breaks a property gives up: some seconds. */
const mostStates = 5000;

/** Judges a pipeline: what lint finds, and whether its properties hold. */
export const checkTool = defineTool({
  name: 'check',
  title: 'Check a pipeline',
  description:
    'Checks a pipeline without running it: syntax, about 70 rules about its control flow and attributes, and the properties it states as graph ["check.NAME"="…"]. Each finding has a line, a column and a remedy. Call it after every change.',
  effects: 'none',
  input: z.strictObject(pipelineKeys),
  async call(args, workbench, call) {
    const { pipeline, compilation } = await compiled(args, workbench);
    const { source, diagnostics, program } = compilation;
    const findings = numberedFindings(diagnostics);
    const isAsked = program !== undefined && (program.monitors.length > 0 || pipeline.hasPropertyFile);
    const verdicts = isAsked ? await decideProperties(pipeline, workbench, call) : [];
    const lines = [
      `${pipeline.name}: ${countText(findings)}`,
      findingsText(findings, source),
      ...verdicts.map(verdictText),
    ];
    return {
      text: lines.filter((line) => line !== '').join('\n'),
      data: { ...findingsData(findings, source), properties: verdicts },
    };
  },
});

/** Verdicts on the properties of a pipeline, found in a process of its own. @throws UsageError for unreadable ones */
async function decideProperties(
  pipeline: PipelineText,
  workbench: Workbench,
  { signal }: ToolCall,
): Promise<readonly VerdictJson[]> {
  const [file, options] = commandInput(pipeline, signal);
  const args = ['check', '--format', 'json', '--max-states', String(mostStates), '--', file];
  const result = await workbench.attractor(args, options);
  // 1 says that a property does not hold for certain.
  if (result.status !== 0 && result.status !== 1) throw commandProblem(result);
  const { properties } = JSON.parse(result.stdout) as { readonly properties: readonly VerdictJson[] };
  return properties;
}

function verdictText({
  name,
  property,
  verdict,
  reason,
  reasons = [],
  path = [],
  ...more
}: VerdictJson): string {
  const said = `property ${name} (${property})`;
  switch (verdict) {
    case 'holds':
      return `${said} holds`;
    case 'broken':
      return `${said} is broken: ${reason}; run: ${path.join(' -> ')}${more.ends_before === undefined ? '' : `; but the run ends before: ${more.ends_before}`}`;
    case 'undecided':
      return `${said} is not decided: ${reasons.join('; ')}`;
  }
}
