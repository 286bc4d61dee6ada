/** Requests to the API server that a process has sent since its start. */
export interface RequestCounts {
  /** Lists, watches and reads of one object. */
  reads: number;
  writes: number;
}

/** Reads the counts from the metrics of a process, in the text format of Prometheus. */
export async function requestCounts(url: string): Promise<RequestCounts> {
  const text = await (await fetch(url)).text();
  const counts = { reads: 0, writes: 0 };
  for (const [, labels = '', value] of text.matchAll(/^rest_client_requests_total\{(.*)\} (\d+)$/gm))
    counts[labels.includes('method="GET"') ? 'reads' : 'writes'] += Number(value);
  return counts;
}
