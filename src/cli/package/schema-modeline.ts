import { version } from '../../version.js';

/** First line of a YAML file by which editors find its schema, `docs/NAME.schema.json` of the published package. */
export function schemaModeline(name: 'script' | 'test'): string {
  return `# yaml-language-server: $schema=https://unpkg.com/attractor-dot@${version}/docs/${name}.schema.json\n`;
}
