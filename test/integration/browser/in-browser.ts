import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, vi } from 'vitest';
import type { Submission } from '../../../src/server/api/run.js';
import type { ServerOptions } from '../../../src/server/server-options.js';
import { buildBundle } from '../docs/built.js';
import { lacksChromium, startChromium } from './chromium.js';
import { type PageServer, startPageServer } from './page-server.js';
import { closeWindows, type FileSight, type OpenPage, openFile, openPage, type Sight } from './screens.js';
import { activeRuns, cancelRun, untilRun, type Wanted } from './worlds.js';

/** A browser, and a server where a file has one; each test gets back what there was before its file's first test. */
export interface BrowserWorld {
  /** Server of the file, or the one that this test has started. */
  readonly server: PageServer;
  /** Opens the page as whoever starts the server does. @param hash address after `/`, such as `#/runs/x` */
  open(hash?: string, sight?: Sight): Promise<OpenPage>;
  /** Opens a file, or `about:blank`, without a network. */
  openFile(url: string, sight?: FileSight): Promise<OpenPage>;
  /** Submits a run, and waits until it is as wanted. @returns its id */
  submit(submission: Submission, wanted: Wanted): Promise<string>;
  /** Waits until a run is as wanted. */
  until(id: string, wanted: Wanted): Promise<void>;
  /** Starts a server with a home of its own for this test. */
  serve(settings?: Settings): Promise<PageServer>;
}

/** Options of the server that are known once its plugins and files are. */
type Settings = Partial<ServerOptions>;

/** Server of the tests of a file: its options, another way to start one, or none. */
type Serving = Settings | (() => Promise<PageServer>) | 'no server';

/**
 * Tests in a real browser against a real server, which are skipped where there is no Chromium. What a test opens, submits
 * and starts is removed after it; what a hook for all tests has opened and submitted stays.
 * @param tests given a world that is ready when a test or a hook runs
 */
export function inBrowser(name: string, serving: Serving, tests: (world: BrowserWorld) => void): void {
  // A browser on a busy machine takes its time.
  vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });
  describe.skipIf(lacksChromium)(name, () => {
    let browser: Browser | undefined;
    let shared: PageServer | undefined;
    const own: PageServer[] = [];
    let windows: readonly BrowserContext[] = [];
    let runs: readonly string[] = [];
    const ready = <Thing>(thing: Thing | undefined): Thing => {
      if (thing === undefined) throw new Error('not here: a server must be asked for, and a test must run');
      return thing;
    };
    const server = (): PageServer => ready(own.at(-1) ?? shared);

    beforeAll(async () => {
      buildBundle();
      browser = await startChromium();
      if (serving !== 'no server')
        shared = await (typeof serving === 'function' ? serving() : startPageServer(serving));
    });
    beforeEach(async () => {
      windows = ready(browser).contexts();
      runs = shared === undefined ? [] : await activeRuns(shared);
    });
    afterEach(async ({ task }) => {
      const opened = ready(browser).contexts();
      await closeWindows(
        opened.filter((one) => !windows.includes(one)),
        task,
      );
      for (const one of own.splice(0)) await one.close();
      if (shared === undefined) return;
      for (const id of await activeRuns(shared)) if (!runs.includes(id)) await cancelRun(shared, id);
    });
    afterAll(async () => {
      await browser?.close();
      await shared?.close();
    });
    tests({
      get server() {
        return server();
      },
      open: (hash, sight) => openPage(ready(browser), server(), hash, sight),
      openFile: (url, sight) => openFile(ready(browser), url, sight),
      async submit(submission, wanted) {
        const { id } = await server().submit(submission);
        await untilRun(server(), id, wanted);
        return id;
      },
      until: (id, wanted) => untilRun(server(), id, wanted),
      async serve(settings) {
        const started = await startPageServer(settings);
        own.push(started);
        return started;
      },
    });
  });
}
