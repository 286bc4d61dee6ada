import { request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findTool } from '../../tools/index.ts';
import { versionOf } from '../facts.ts';
import { Figures, OURS, type Options, type Progress, type Row, type Section } from '../measurement.ts';
import { type MemoryMap, memoryMapOf } from '../memory/memory-map.ts';
import { type Contender, startOurs } from '../redfish/contender.ts';

const ROUNDS = '5';
/** ms until V8 has collected what the start, or a visit, has left. */
const SETTLED = 30_000;
const VIEWS = 5;

const ROWS = {
  view: { what: 'first view: the log-in, with nothing in the cache', unit: 'ms', goal: 1_000 },
  overview: { what: 'from the log-in to the overview', unit: 'ms' },
  idle: { what: "agent's resident memory before the first visit", unit: 'MB' },
  used: { what: 'half a minute after five first views, a log-in and a look at the overview', unit: 'MB' },
  own: { what: 'growth of its own memory by that', unit: 'MB' },
  files: { what: 'growth of the pages of Node and its libraries by that, shared', unit: 'MB' },
  scriptOwn: {
    what: 'growth of its own memory if a script reads the same from Redfish, without the pages',
    unit: 'MB',
  },
  scriptFiles: { what: 'growth of the pages of Node and its libraries by the script, shared', unit: 'MB' },
  pages: { what: 'growth of all resident memory by the pages beyond that by the script', unit: 'MB', goal: 3 },
} as const satisfies Record<string, Row>;

/** Measures what the pages of a BMC cost. Option: `--rounds=5`, restarts of the agent for each kind of client. */
export async function measureWeb(progress: Progress, { rounds = ROUNDS }: Options): Promise<Section> {
  const program = findTool('chromium');
  if (program === undefined) throw new Error('there is no Chromium: npm run tools -- chromium');
  const figures = new Figures(ROWS);
  const agent = await startOurs();
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  try {
    for (let round = 1; round <= Number(rounds); round += 1) {
      progress(`round ${round} of ${rounds}`);
      const { paths, growth } = await visitByBrowser(agent, browser, figures);
      figures.add(OURS, 'pages', growth - (await visitByScript(agent, paths, figures)));
    }
  } finally {
    await browser.close();
    await agent.close();
  }
  const inputs = versionOf(program, '--version');
  return { title: 'Web pages of a BMC', introduction: INTRODUCTION, inputs, measurements: figures.measurements() };
}

/** The agent's memory when it has nothing to do. */
async function settled({ pid }: Contender): Promise<MemoryMap> {
  await pause(SETTLED);
  return memoryMapOf(pid);
}

/** Memory that no other process can share, MB. */
function ownOf({ allocator, rest }: MemoryMap): number {
  return allocator + rest;
}

/** @returns paths of Redfish that the pages have read, and growth of the resident memory, MB */
async function visitByBrowser(
  agent: Contender,
  browser: Browser,
  figures: Figures<keyof typeof ROWS>,
): Promise<{ paths: string[]; growth: number }> {
  await agent.restart();
  const idle = await settled(agent);
  figures.add(OURS, 'idle', idle.total);
  for (let count = 0; count < VIEWS; count += 1) {
    const { page, time } = await firstView(agent, browser);
    figures.add(OURS, 'view', time);
    await page.context().close();
  }
  const { page } = await firstView(agent, browser);
  const paths: string[] = [];
  page.on('request', (asked) => {
    const path = asked.url().slice(agent.base.length);
    if (asked.method() === 'GET' && path.startsWith('/redfish/') && !path.includes('/SSE')) paths.push(path);
  });
  await page.getByLabel('User name').fill(agent.username);
  await page.getByLabel('Password').fill(agent.password);
  const begin = performance.now();
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Shut down' }).waitFor();
  figures.add(OURS, 'overview', performance.now() - begin);
  // The other cards, and the picture of the screen.
  await pause(2_000);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await page.context().close();
  const used = await settled(agent);
  figures.add(OURS, 'used', used.total);
  figures.add(OURS, 'own', ownOf(used) - ownOf(idle));
  figures.add(OURS, 'files', used.files - idle.files);
  return { paths, growth: used.total - idle.total };
}

/** A browser without cache opens the page. @returns ms until the log-in is there */
async function firstView({ base }: Contender, browser: Browser): Promise<{ page: Page; time: number }> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  const begin = performance.now();
  await page.goto(base, { waitUntil: 'commit' });
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  return { page, time: performance.now() - begin };
}

/** @returns growth of the resident memory, MB */
async function visitByScript(
  agent: Contender,
  paths: readonly string[],
  figures: Figures<keyof typeof ROWS>,
): Promise<number> {
  await agent.restart();
  const idle = await settled(agent);
  for (let count = 0; count <= VIEWS; count += 1) {
    // A browser opens that many connections.
    await Promise.all(Array.from({ length: 6 }, () => read(agent, '/redfish/v1/')));
  }
  for (const path of paths) await read(agent, path);
  const used = await settled(agent);
  figures.add(OURS, 'scriptOwn', ownOf(used) - ownOf(idle));
  figures.add(OURS, 'scriptFiles', used.files - idle.files);
  return used.total - idle.total;
}

async function read({ base, username, password }: Contender, path: string): Promise<void> {
  await new Promise((resolve, reject) => {
    const options = { rejectUnauthorized: false, agent: false, auth: `${username}:${password}` };
    request(`${base}${path}`, options, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
}

const INTRODUCTION = [
  '- The agent as in the image, for a running virtual machine of the KubeVirt simulator, and Chromium without a window, on',
  '  loopback over TLS. A first view is from the beginning of the navigation, with a new connection and an empty cache, until the',
  '  log-in can be seen.',
  '- The agent is restarted before each round. Its memory is read from /proc/<pid>/smaps, half a minute after the last request.',
  '  Pages of Node and its libraries are files, which the processes of a node share and the kernel can drop. A part of the growth is',
  '  that of any first use of Redfish: the last rows have as many connections and the same reads by a script.',
];
