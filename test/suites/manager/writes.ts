/** Number of write requests of the manager, from its metrics. */
export async function writesOf(manager: { metrics: string }): Promise<number> {
  const text = await (await fetch(manager.metrics)).text();
  let writes = 0;
  for (const line of text.split('\n')) {
    const match = /^rest_client_requests_total\{(.*)\} (\d+)$/.exec(line);
    if (match === null || match[1]?.includes('method="GET"') === true) continue;
    writes += Number(match[2]);
  }
  return writes;
}
