import type { Command } from 'commander';

/** The options of `ExtensionArguments` that every command with a pipeline has. */
export function addExtensionOptions(command: Command): Command {
  return command
    .option('--plugin <module>', 'load a plugin, a file or a package; may be repeated', collect)
    .option(
      '--config <file>',
      'the configuration; by default attractor.config.json or .yaml, looked for upwards',
    )
    .option('--no-config', 'read no configuration file');
}

function collect(module: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), module];
}
