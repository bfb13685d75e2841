import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Option } from 'commander';
import { printableLines } from '../../diagnostic/printable.js';
import { describeSystemError } from '../../engine/runtime/run-error.js';
import type { Graph } from '../../graph/graph.js';
import type { DrawingOptions } from '../../render/dot.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import {
  addExtensionOptions,
  compileOptionsOf,
  type ExtensionArguments,
  extensionsFor,
} from '../extensions.js';
import { readSource } from '../read-source.js';
import { reportDiagnostics } from '../report-diagnostics.js';
import { UsageError } from '../usage-error.js';

const formats = ['svg', 'dot'] as const;
type Format = (typeof formats)[number];

interface RenderOptions extends ExtensionArguments {
  readonly output?: string;
  readonly format?: Format;
}

/** `attractor render FILE [-o OUT]`: the picture of a pipeline, as SVG or as plain Graphviz DOT (DESIGN §5). */
export const renderCommand: CliCommand<RenderOptions> = {
  name: 'render',
  summary: 'Draw a pipeline',
  example: 'attractor render pipeline.dot -o pipeline.svg',
  configure: (command) =>
    addExtensionOptions(
      command
        .argument('<file>', 'the pipeline; - reads standard input')
        .option('-o, --output <file>', 'where to write the picture; standard output by default')
        .addOption(
          new Option(
            '--format <format>',
            'the kind of picture; by default as the output file is called',
          ).choices(formats),
        ),
    ),
  async run([file = '-'], options, io) {
    const format = formatOf(options);
    const { name, text } = await readSource(file, io);
    const { compile } = await import('../../compile.js');
    const extensions = compileOptionsOf(await extensionsFor(file, options, io));
    const { source, graph, diagnostics } = compile(text, { name, ...extensions });
    const unreadable = diagnostics.filter(({ rule, severity }) => rule === 'syntax' && severity === 'error');
    if (unreadable.length > 0) {
      await reportDiagnostics([{ source, diagnostics: unreadable }], io);
      return exitCode.failure;
    }
    const { RenderError } = await import('../../render/svg.js');
    try {
      write(await draw(graph, format, { handlerTypes: extensions.handlerTypes }), options.output, (picture) =>
        io.stdout.write(picture),
      );
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
      io.stderr.write(`attractor: ${printableLines(error.message)}\n`);
      return exitCode.failure;
    }
    return exitCode.ok;
  },
};

function formatOf({ format, output }: RenderOptions): Format {
  if (format !== undefined) return format;
  if (output === undefined) return 'svg';
  const extension = path.extname(output).slice(1).toLowerCase();
  const named = { svg: 'svg', dot: 'dot', gv: 'dot' }[extension];
  if (named === 'svg' || named === 'dot') return named;
  throw new UsageError(
    `cannot tell from "${output}" what to draw: name a .svg or a .dot file, or add --format svg or --format dot`,
  );
}

async function draw(graph: Graph, format: Format, drawing: DrawingOptions): Promise<string> {
  switch (format) {
    case 'svg': {
      const { renderSvg } = await import('../../render/svg.js');
      return renderSvg(graph, drawing);
    }
    case 'dot': {
      const { toGraphvizDot } = await import('../../render/dot.js');
      return toGraphvizDot(graph, drawing);
    }
  }
}

function write(picture: string, output: string | undefined, print: (picture: string) => unknown): void {
  if (output === undefined || output === '-') {
    print(picture.endsWith('\n') ? picture : `${picture}\n`);
    return;
  }
  try {
    writeFileSync(output, picture);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const what = isMissing ? 'its directory does not exist' : describeSystemError(error);
    throw new UsageError(`cannot write ${output}: ${what}`);
  }
}
