import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../json.ts';
import { configMap, CONFIG_MAPS, startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
let call: TestServer['call'];
beforeAll(async () => {
  server = await startTestServer();
  ({ call } = server);
});
afterAll(() => server.close());

describe('metadata that is not valid', () => {
  const labelled = configMap('labelled', {}, { labels: { a: 'not a label' } });
  const causes = (body: unknown) => at(body, 'details', 'causes');

  it('is told once of a new object', async () => {
    expect(causes((await call('POST', CONFIG_MAPS, labelled)).body)).toHaveLength(1);
  });

  it('is told once of a change', async () => {
    await call('POST', CONFIG_MAPS, configMap('labelled'));
    const { body } = await call('PUT', `${CONFIG_MAPS}/labelled`, labelled);
    expect(causes(body)).toHaveLength(1);
    expect(at(body, 'message')).toMatch(/^ConfigMap "labelled" is invalid: metadata.labels: Invalid value: [^[]*regex/);
  });

  it('is told together with a name that is missing', async () => {
    const { body } = await call('POST', CONFIG_MAPS, { metadata: { labels: { a: 'not a label' } } });
    expect(causes(body)).toMatchObject([{ field: 'metadata.name' }, { field: 'metadata.labels' }]);
  });
});
