import { compileOptionsOf, type ExtensionArguments, extensionsFor } from '../../setup/extensions.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import { terminalJson } from '../output/terminal-json.js';
import { readSource } from '../read-source.js';

interface ParseOptions extends ExtensionArguments {
  readonly raw?: true;
}

/** `attractor parse FILE`: the graph as JSON, after the transforms or before them (DESIGN §5, SEMANTICS 90). */
export const parseCommand: CliCommand<ParseOptions> = {
  name: 'parse',
  summary: 'Print the graph of a pipeline as JSON',
  example: 'attractor parse pipeline.dot',
  configure: (command) =>
    addExtensionOptions(
      command
        .argument('<file>', 'the pipeline; - reads standard input')
        .option('--raw', 'the graph before variables and stylesheet are applied'),
    ),
  async run([file = '-'], { raw, ...options }, io) {
    const { name, text } = await readSource(file, io);
    const {
      handlerTypes,
      transforms = [],
      ruleSettings,
    } = compileOptionsOf(await extensionsFor(file, options, io));
    const { hasErrors } = await import('../../diagnostic/diagnostic.js');
    const { diagnosticToJson } = await import('../../diagnostic/render-json.js');
    const { SourceText } = await import('../../diagnostic/source.js');
    const { graphToJson } = await import('../../graph/graph-json.js');
    const { knownHandlerTypes } = await import('../../graph/known-handler-types.js');
    const { lower } = await import('../../graph/lower.js');
    const { applySuppressions, unusedSuppression } = await import('../../lint/apply-suppressions.js');
    const { applyRuleSettings } = await import('../../lint/rule-settings.js');
    const { parseDot } = await import('../../parser/dot/parse.js');
    const { applyTransforms, builtInTransforms } = await import('../../transforms/index.js');

    const source = new SourceText(name, text);
    const parsed = parseDot(text);
    const lowered = lower(parsed.document);
    const graph = raw ? lowered.graph : applyTransforms(lowered.graph, [...builtInTransforms, ...transforms]);
    const found = [...parsed.diagnostics, ...lowered.diagnostics];
    const wanted = applyRuleSettings(found, ruleSettings);
    // No rule has run, so the comments themselves cannot be judged.
    const diagnostics = applySuppressions(wanted, {
      source,
      document: parsed.document,
      ran: undefined,
    }).filter(({ rule }) => rule !== unusedSuppression);
    const printed = {
      ...graphToJson(graph, source, knownHandlerTypes(handlerTypes)),
      diagnostics: diagnostics.map((diagnostic) => diagnosticToJson(diagnostic, source)),
    };
    io.stdout.write(`${terminalJson(printed, 2)}\n`);
    return hasErrors(diagnostics) ? exitCode.failure : exitCode.ok;
  },
};
