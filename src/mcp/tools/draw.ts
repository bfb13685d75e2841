import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { UsageError } from '../../setup/usage-error.js';
import { commandProblem, plainText } from './command-answer.js';
import { commandInput, pipelineKeys } from './pipeline-argument.js';
import { defineTool, type ToolAnswer } from './tool.js';
import type { Workbench } from './workbench.js';

const types = {
  mermaid: 'text/vnd.mermaid',
  dot: 'text/vnd.graphviz',
  svg: 'image/svg+xml',
  png: 'image/png',
} as const;

type Format = keyof typeof types;

/** Draws a pipeline, or a run over its pipeline. */
export const drawTool = defineTool({
  name: 'draw',
  title: 'Draw a pipeline',
  description:
    'Draws a pipeline, or with run=ID the state of a run over its pipeline: as Mermaid text, SVG, a PNG to look at, or plain Graphviz DOT. With output the drawing is written to a file.',
  effects: 'files',
  input: z.strictObject({
    ...pipelineKeys,
    run: z.string().optional().describe('Id of a run to draw, instead of a pipeline'),
    format: z.enum(['mermaid', 'svg', 'png', 'dot']).optional().describe('mermaid by default'),
    output: z.string().optional().describe('File to write, inside the working directory'),
  }),
  async call({ run, format = 'mermaid', output, ...argument }, workbench, { signal }) {
    const hasPipeline = argument.file !== undefined || argument.text !== undefined;
    if (run !== undefined && hasPipeline)
      throw new UsageError('a run has its own pipeline: give `run`, or a pipeline, but not both');
    const [file, options] =
      run === undefined ? commandInput(await workbench.read(argument), signal) : [undefined, { signal }];
    const what = run === undefined ? ['--', file ?? '-'] : ['--run', workbench.runs.directory(run)];
    return workbench.withFiles({}, async (directory) => {
      const drawn = path.join(directory, `drawing.${format}`);
      const args = ['render', '--format', format, '--output', drawn, ...what];
      const result = await workbench.attractor(args, options);
      if (result.status !== 0) throw commandProblem(result);
      const bytes = readFileSync(drawn);
      const remark = plainText(result.stderr);
      return output === undefined ? shown(bytes, format, remark) : written(bytes, output, remark, workbench);
    });
  },
});

function written(bytes: Uint8Array, output: string, remark: string, workbench: Workbench): ToolAnswer {
  workbench.write(output, bytes);
  return { text: [remark, `wrote ${output}`].filter((line) => line !== '').join('\n'), data: { output } };
}

function shown(bytes: Buffer, format: Format, remark: string): ToolAnswer {
  const type = types[format];
  if (format === 'png')
    return { text: remark || 'the drawing as PNG', attachment: { kind: 'image', type, bytes } };
  const text = bytes.toString('utf8');
  if (format !== 'svg') return { text: [remark, text].filter((line) => line !== '').join('\n') };
  return {
    text: remark || 'the drawing as SVG',
    attachment: { kind: 'document', type, name: 'drawing.svg', text },
  };
}
