import { existsSync } from 'node:fs';

const commonJs = /(\/node_modules\/@opentelemetry\/[\w-]+\/build)\/src\//;

/**
 * A plugin of the bundler: of the libraries of OpenTelemetry the form with `import`s is taken, of which only what is used goes into
 * the bundle; they name the other one first for Node.
 */
export function openTelemetryModules() {
  return {
    name: 'open-telemetry-modules',
    async resolveId(source, importer, options) {
      if (!source.startsWith('@opentelemetry/')) return undefined;
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      const id = resolved?.id.replace(commonJs, '$1/esm/');
      return id !== undefined && existsSync(id) ? { ...resolved, id } : resolved;
    },
  };
}
