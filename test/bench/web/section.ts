import { request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findTool } from '../../tools/index.ts';
import { memoryOf, versionOf } from '../facts.ts';
import { Figures, OURS, type Options, type Progress, type Row, type Section } from '../measurement.ts';
import { type Contender, startOurs } from '../redfish/contender.ts';

const ROUNDS = '5';
/** ms until V8 has collected what the start, or a visit, has left. */
const SETTLED = 30_000;
const VIEWS = 5;

const ROWS = {
  view: { what: 'first view: the log-in, with nothing in the cache', unit: 'ms', goal: 1_000 },
  overview: { what: 'from the log-in to the overview', unit: 'ms' },
  idle: { what: "agent's resident memory before the first visit", unit: 'MB' },
  seen: { what: 'half a minute after the first view', unit: 'MB' },
  used: { what: 'half a minute after a log-in and a look at the overview', unit: 'MB' },
  growth: { what: 'growth by all that', unit: 'MB', goal: 3 },
  script: { what: 'growth if a script makes the same requests to Redfish, without the pages', unit: 'MB' },
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
      const paths = await visitByBrowser(agent, browser, figures);
      await visitByScript(agent, paths, figures);
    }
  } finally {
    await browser.close();
    await agent.close();
  }
  const inputs = versionOf(program, '--version');
  return { title: 'Web pages of a BMC', introduction: INTRODUCTION, inputs, measurements: figures.measurements() };
}

/** The agent's memory when it has nothing to do, MB. */
async function settled({ pid }: Contender): Promise<number> {
  await pause(SETTLED);
  return memoryOf(pid);
}

/** @returns paths of Redfish that the pages have read */
async function visitByBrowser(
  agent: Contender,
  browser: Browser,
  figures: Figures<keyof typeof ROWS>,
): Promise<string[]> {
  await agent.restart();
  const idle = await settled(agent);
  figures.add(OURS, 'idle', idle);
  for (let count = 0; count < VIEWS; count += 1) {
    const { page, time } = await firstView(agent, browser);
    figures.add(OURS, 'view', time);
    await page.context().close();
  }
  figures.add(OURS, 'seen', await settled(agent));
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
  figures.add(OURS, 'used', used);
  figures.add(OURS, 'growth', used - idle);
  return paths;
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

async function visitByScript(
  agent: Contender,
  paths: readonly string[],
  figures: Figures<keyof typeof ROWS>,
): Promise<void> {
  await agent.restart();
  const idle = await settled(agent);
  for (const path of paths) await read(agent, path);
  figures.add(OURS, 'script', (await settled(agent)) - idle);
}

async function read({ base, username, password }: Contender, path: string): Promise<void> {
  await new Promise((resolve, reject) => {
    const options = { rejectUnauthorized: false, auth: `${username}:${password}` };
    request(`${base}${path}`, options, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
}

const INTRODUCTION = [
  '- The agent as in the image, for a running virtual machine of the KubeVirt simulator, and Chromium without a window, on',
  '  loopback over TLS. A first view is from the begin of the navigation, with a new connection and an empty cache, until the',
  '  log-in can be seen.',
  '- The agent is restarted before each round. Its memory is read half a minute after the last request. A part of the growth',
  '  is that of any first use of Redfish: the last row has the same requests, by a script.',
];
