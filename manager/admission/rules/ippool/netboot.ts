import type { PoolRule } from './inputs.ts';
import { CONFIG } from './inputs.ts';

/** Settings with which a network boot would fail. */
export const netboot: PoolRule = ({ spec }) => {
  const { nextServer, bootFiles = {} } = spec.ipv4Config?.netboot ?? {};
  const field = `${CONFIG}.netboot`;
  const files = Object.entries(bootFiles).filter(([, file]) => file !== '');
  const warnings: string[] = [];
  // Firmware reads its files by TFTP, which needs a server; iPXE and HTTP clients read URLs.
  const byTftp = files.filter(([client, file]) => !client.startsWith('http-') && !isUrl(file));
  if (nextServer === undefined && byTftp.length > 0)
    warnings.push(
      `${field}.nextServer: is needed for ${byTftp.map(([client]) => `bootFiles.${client}`).join(', ')}, read by TFTP`,
    );
  if (nextServer !== undefined && files.length === 0)
    warnings.push(`${field}.bootFiles: none is named, so no client boots from ${nextServer}`);
  for (const [client, file] of files)
    if (client.startsWith('http-') && !/^https?:\/\//.test(file))
      warnings.push(`${field}.bootFiles.${client}: ${JSON.stringify(file)} is no http or https URL`);
  return { warnings };
};

function isUrl(file: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(file);
}
