import type { RedfishContext } from '../context.ts';
import type { Route } from '../resource.ts';
import { certificateServiceRoutes } from './certificate-service.ts';
import { httpsCertificateRoutes } from './https-certificates.ts';

export { HTTPS_CERTIFICATES } from './https-certificates.ts';

/** The certificates of the HTTPS endpoint. */
export function certificatesRoutes(context: RedfishContext): Route[] {
  return [...httpsCertificateRoutes(context), ...certificateServiceRoutes(context)];
}
