import { compileOptionsOf, type ExtensionArguments, extensionsFor } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import type { TopicPage } from '../explain/page.js';
import { addExtensionOptions } from '../extension-options.js';
import { type Io, usesColor } from '../io.js';

/** `attractor explain NAME [FILE]`: the reference at hand, what a pipeline needs, and where control goes from a node (DESIGN §5). */
export const explainCommand: CliCommand<ExtensionArguments> = {
  name: 'explain',
  summary:
    'Explain a rule, a syntax code, an attribute, a handler, a pipeline and its inputs, or a node of it',
  example: 'attractor explain goal_gate_has_retry',
  configure: (command) =>
    addExtensionOptions(
      command
        .argument(
          '[name]',
          'such as reachability, missing_comma, max_retries, wait.human, or a pipeline file; without it, a list',
        )
        .argument('[file]', 'the pipeline that has the node NAME'),
    ),
  async run([name, file], options, io) {
    const { Chalk } = await import('chalk');
    const { TopicPage } = await import('../explain/page.js');
    const color = usesColor(io, io.stdout);
    const width = io.stdout.columns ?? 80;
    const page = () => new TopicPage(new Chalk({ level: color ? 1 : 0 }), width);
    if (name === undefined) {
      const one = page();
      await listTopics(one, options, io);
      io.stdout.write(one.toString());
    } else if (file === undefined && isPipeline(name)) {
      const { explainPipeline } = await import('../explain/explain-pipeline.js');
      const one = page();
      await explainPipeline(name, { options, io, page: one });
      io.stdout.write(one.toString());
    } else if (file === undefined) {
      const topics = await topicsFor(name, options, io);
      const { explainTopic } = await import('../explain/explain-topic.js');
      const pages = topics.map(async (topic) => {
        const one = page();
        await explainTopic(topic, one, { color, width });
        return one.toString();
      });
      io.stdout.write((await Promise.all(pages)).join('\n'));
    } else {
      const { explainNode } = await import('../explain/explain-node.js');
      const one = page();
      await explainNode(name, file, { options, io, page: one });
      io.stdout.write(one.toString());
    }
    return exitCode.ok;
  },
};

/** No rule, attribute or handler is called so. */
function isPipeline(name: string): boolean {
  return name === '-' || name.endsWith('.dot') || name.endsWith('.gv');
}

const titles = {
  rule: 'Rules of lint',
  syntax_code: 'Syntax codes',
  handler: 'Handlers',
  attribute: 'Attributes',
} as const;

/** Lists the names that can be explained. */
async function listTopics(page: TopicPage, options: ExtensionArguments, io: Io): Promise<void> {
  const { topicIndex } = await import('../explain/topics.js');
  page.title('attractor explain NAME', 'explains any of these names');
  for (const [kind, names] of topicIndex(await addedTopics(options, io))) {
    page.heading(titles[kind]);
    page.paragraph(names.join(', '));
  }
  page.heading('For example');
  page.verbatim(
    'attractor explain missing_comma\nattractor explain max_retries\nattractor explain FILE         # the inputs of a pipeline\nattractor explain NODE FILE    # where control goes from a node',
  );
}

async function addedTopics(options: ExtensionArguments, io: Io) {
  const extensions = await extensionsFor('-', options, io);
  return { rules: extensions.rules, handlers: compileOptionsOf(extensions).handlerTypes };
}

/** @throws UsageError for an unknown name */
async function topicsFor(name: string, options: ExtensionArguments, io: Io) {
  const { topicNames, topicsNamed } = await import('../explain/topics.js');
  const added = await addedTopics(options, io);
  const topics = topicsNamed(name, added);
  if (topics.length > 0) return topics;
  const { didYouMean } = await import('../../diagnostic/did-you-mean.js');
  const hint = didYouMean(name, topicNames(added));
  throw new UsageError(
    `no rule, syntax code, attribute or handler is called "${name}"${hint}. ` +
      '`attractor explain` lists them all; for a node, add the file: `attractor explain NODE FILE`',
  );
}
