import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Option } from 'commander';
import { printableLines } from '../../diagnostic/printable.js';
import type { Graph } from '../../graph/graph.js';
import type { DrawingOptions } from '../../render/dot.js';
import { prepareLayout } from '../../render/prepare-layout.js';
import type { Theme } from '../../render/theme.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import type { ExtensionArguments } from '../../setup/extensions.js';
import { locateFile } from '../../setup/locate-file.js';
import { UsageError } from '../../setup/usage-error.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import type { Io } from '../io.js';
import { type DrawnPipeline, drawnPipeline } from '../output/drawn-pipeline.js';
import { reportDiagnostics } from '../output/report-diagnostics.js';

const formats = ['svg', 'png', 'mermaid', 'dot'] as const;
type Format = (typeof formats)[number];

const formatOfExtension: ReadonlyMap<string, Format> = new Map([
  ['svg', 'svg'],
  ['png', 'png'],
  ['mmd', 'mermaid'],
  ['mermaid', 'mermaid'],
  ['dot', 'dot'],
  ['gv', 'dot'],
]);

interface RenderOptions extends ExtensionArguments {
  readonly output?: string;
  readonly format?: Format;
  readonly theme: Theme;
  readonly run?: string;
  readonly coverage?: string;
}

/** `attractor render FILE [-o OUT]`: the picture of a pipeline, or with `--run` of what happened in it (DESIGN §5). */
export const renderCommand: CliCommand<RenderOptions> = {
  name: 'render',
  summary: 'Draw a pipeline, or what happened in a run',
  example: 'attractor render pipeline.dot -o pipeline.svg',
  configure: (command) =>
    addExtensionOptions(
      command
        .argument('[file]', 'the pipeline; - reads standard input; not needed with --run or --coverage')
        .option('-o, --output <file>', 'file to write; standard output by default')
        .addOption(
          new Option(
            '--format <format>',
            'format of the picture; by default taken from the extension of the output file',
          ).choices(formats),
        )
        .addOption(
          new Option('--theme <theme>', 'for light or dark pages; an SVG can adapt to the reader')
            .choices(['auto', 'light', 'dark'])
            .default('auto'),
        )
        .option('--run <run>', 'overlay the state of this run, which may still be running')
        .addOption(
          new Option('--coverage <file>', 'overlay what the cases of this test file cover').conflicts('run'),
        ),
    ),
  async run([file], options, io) {
    const format = formatOf(options, io);
    if (format === 'svg' || format === 'png') void prepareLayout();
    const drawn = await drawnPipeline(file, options, io);
    const unreadable = drawn.diagnostics.filter(
      ({ rule, severity }) => rule === 'syntax' && severity === 'error',
    );
    if (unreadable.length > 0) {
      await reportDiagnostics([{ source: drawn.source, diagnostics: unreadable }], io);
      return exitCode.failure;
    }
    return drawAndWrite(drawn, format, options, io);
  },
};

function formatOf({ format, output }: RenderOptions, { stdout }: Io): Format {
  const chosen = format ?? formatOfOutput(output);
  if (chosen === 'png' && isStandardOutput(output) && stdout.isTTY === true) {
    throw new UsageError('a PNG cannot be shown in a terminal: name a file with -o, or redirect the output');
  }
  return chosen;
}

function formatOfOutput(output: string | undefined): Format {
  if (isStandardOutput(output)) return 'svg';
  const named = formatOfExtension.get(path.extname(output).slice(1).toLowerCase());
  if (named !== undefined) return named;
  const known = [...formatOfExtension.keys()].map((extension) => `.${extension}`).join(', ');
  throw new UsageError(
    `cannot tell the format from "${output}": name a file that ends in one of ${known}, or add --format ${formats.join('|')}`,
  );
}

function isStandardOutput(output: string | undefined): output is undefined | '-' {
  return output === undefined || output === '-';
}

async function drawAndWrite(
  { graph, drawing }: DrawnPipeline,
  format: Format,
  { theme, output }: RenderOptions,
  io: Io,
): Promise<number> {
  const { RenderError } = await import('../../render/render-error.js');
  try {
    write(await draw(graph, format, { ...drawing, theme }), output, io);
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    io.stderr.write(`attractor: ${printableLines(error.message)}\n`);
    return exitCode.failure;
  }
  return exitCode.ok;
}

async function draw(graph: Graph, format: Format, drawing: DrawingOptions): Promise<string | Uint8Array> {
  switch (format) {
    case 'svg': {
      const { renderSvg } = await import('../../render/svg.js');
      return renderSvg(graph, drawing);
    }
    case 'png': {
      const { renderPng } = await import('../../render/png.js');
      return renderPng(graph, drawing);
    }
    case 'mermaid': {
      const { toMermaid } = await import('../../render/mermaid.js');
      return toMermaid(graph, drawing);
    }
    case 'dot': {
      const { toGraphvizDot } = await import('../../render/dot.js');
      return toGraphvizDot(graph, drawing);
    }
  }
}

function write(picture: string | Uint8Array, output: string | undefined, io: Io): void {
  if (isStandardOutput(output)) {
    const isText = typeof picture === 'string';
    io.stdout.write(isText && !picture.endsWith('\n') ? `${picture}\n` : picture);
    return;
  }
  try {
    writeFileSync(locateFile(output, io.cwd()), picture);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const what = isMissing ? 'its directory does not exist' : describeSystemError(error);
    throw new UsageError(`cannot write ${output}: ${what}`);
  }
}
