import type { Command } from 'commander';

/** The options of `ExtensionArguments` that every command with a pipeline has. */
export function addExtensionOptions(command: Command): Command {
  return command
    .option('--plugin <module>', 'load a plugin, a file or a package; may be repeated', collect)
    .option(
      '--config <file>',
      'configuration file; by default the nearest attractor.config.json or .yaml, in this directory or above',
    )
    .option('--no-config', 'read no configuration file');
}

function collect(module: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), module];
}
