import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A package that the registry of a test offers. */
export interface PackedPackage {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly tarball: Buffer;
}

/** Packs a package as npm publishes it; only its scripts do not run. */
export function packPackage(directory: string, destination: string): PackedPackage {
  const flags = ['--ignore-scripts', '--json', '--pack-destination', destination];
  const printed = execFileSync('npm', ['pack', ...flags], {
    cwd: directory,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  const [{ filename }] = JSON.parse(printed);
  const {
    devDependencies: _,
    scripts: __,
    ...manifest
  } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  return { manifest, tarball: readFileSync(path.join(destination, filename)) };
}

/** A registry of npm on loopback that has these packages only. @returns the environment with which npm uses it */
export async function packageRegistry(
  packages: readonly PackedPackage[],
  cache: string,
): Promise<Readonly<Record<string, string>>> {
  const server = createServer((request, response) => {
    const [name = '', file] = decodeURIComponent(request.url ?? '')
      .slice(1)
      .split('/-/');
    const found = packages.find(({ manifest }) => manifest.name === name);
    if (found === undefined) response.writeHead(404).end('{}');
    else if (file !== undefined) response.end(found.tarball);
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(packument(found)));
  });
  const packument = ({ manifest, tarball }: PackedPackage) => {
    const { name, version } = manifest;
    const { port } = server.address() as AddressInfo;
    const dist = {
      tarball: `http://127.0.0.1:${port}/${name}/-/${name}-${version}.tgz`,
      integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    };
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  return {
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: cache,
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
    npm_config_audit: 'false',
  };
}
