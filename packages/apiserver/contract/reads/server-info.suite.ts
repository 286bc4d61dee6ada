import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';

const { http } = await cluster();

async function get(path: string): Promise<unknown> {
  const { status, body } = await http('GET', path);
  expect(status).toBe(200);
  return body;
}

describe('what a server says of itself', () => {
  it('is its version', async () => {
    expect(await get('/version')).toMatchObject({
      major: '1',
      minor: '34',
      emulationMajor: '1',
      emulationMinor: '34',
      minCompatibilityMajor: '1',
      minCompatibilityMinor: '33',
      gitVersion: expect.stringMatching(/^v1\.34\.\d+/) as string,
      platform: expect.stringMatching(/^linux\/(amd64|arm64)$/) as string,
    });
    expect(await get('/version/')).toEqual(await get('/version'));
  });

  it.each(['/healthz', '/livez', '/readyz'])('is that it is well: %s', async (path) => {
    const { status, headers, body } = await http('GET', path);
    expect({ status, body }).toEqual({ status: 200, body: 'ok' });
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect((await http('GET', `${path}/ping`)).body).toBe('ok');
    expect((await http('GET', `${path}?verbose`)).body).toMatch(
      new RegExp(`^\\[\\+\\]ping ok\\n(.*ok\\n)*${path.slice(1)} check passed\\n$`),
    );
    expect((await http('GET', `${path}/nonsense`)).status).toBe(404);
  });

  it('is what paths there are', async () => {
    const { paths } = (await get('/')) as { paths: string[] };
    expect(paths).toEqual(expect.arrayContaining(['/api', '/api/v1', '/apis', '/openapi/v3', '/version']));
  });
});
