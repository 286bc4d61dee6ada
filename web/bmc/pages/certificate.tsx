import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { Badge } from '../../common/badge.tsx';
import { Button } from '../../common/button.tsx';
import { Card, Facts } from '../../common/card.tsx';
import { TextField } from '../../common/field.tsx';
import { Failure, Loading, Message } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { useAction } from '../../common/use-action.ts';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { Certificate, Collection } from '../redfish/resources.ts';
import { CERTIFICATE_SERVICE, CERTIFICATES } from '../redfish/uris.ts';

export function CertificatePage(): JSX.Element {
  const refusal = useRefusal('certificate');
  return refusal === undefined ? <Certificates /> : <Message tone="warn">{refusal}</Message>;
}

/** ms before its end from which a certificate is said to expire soon. */
const SOON = 14 * 86_400_000;

function Certificates(): JSX.Element {
  const { body, problem, refresh } = useResource<Collection<Certificate>>(CERTIFICATES);
  if (body === undefined) {
    if (problem === undefined) return <Loading what="the certificate" />;
    return <Failure trouble={problem} retry={() => void refresh()} />;
  }
  const [certificate] = body.Members;
  return (
    <div class="cards">
      {certificate !== undefined && <Shown certificate={certificate} />}
      <Request />
      {certificate !== undefined && <Replace uri={certificate['@odata.id']} />}
    </div>
  );
}

function Shown({ certificate }: { certificate: Certificate }): JSX.Element {
  const { Subject, Issuer, ValidNotAfter, ValidNotBefore, SerialNumber, Fingerprint, CertificateString } = certificate;
  const left = Date.parse(ValidNotAfter ?? '') - Date.now();
  return (
    <Card
      title="HTTPS certificate"
      aside={
        left < 0 ? (
          <Badge tone="bad">Expired</Badge>
        ) : left < SOON ? (
          <Badge tone="warn">Expires soon</Badge>
        ) : (
          <Badge tone="good">Valid</Badge>
        )
      }
    >
      <Facts
        of={[
          ['Subject', Subject?.CommonName],
          ['Issuer', Issuer?.CommonName],
          ['Valid since', <Time key="since" at={ValidNotBefore} />],
          ['Expires', <Time key="until" at={ValidNotAfter} />],
          [
            'Names',
            <ul key="names">
              {Subject?.AlternativeNames?.map((name) => (
                <li key={name} class="mono">
                  {name}
                </li>
              ))}
            </ul>,
          ],
          [
            'Serial number',
            <span key="serial" class="mono">
              {SerialNumber}
            </span>,
          ],
          [
            'SHA-256',
            <span key="print" class="mono">
              {Fingerprint}
            </span>,
          ],
        ]}
      />
      <details>
        <summary>Certificate in PEM</summary>
        <pre class="pem" tabIndex={0}>
          {CertificateString}
        </pre>
      </details>
    </Card>
  );
}

function Request(): JSX.Element {
  const { client } = useBmc();
  const [name, setName] = useState('');
  const [csr, setCsr] = useState<string>();
  const [generate, isBusy] = useAction(
    useCallback(async () => {
      const { body } = await client.send<{ CSRString: string }>(
        'POST',
        `${CERTIFICATE_SERVICE}/Actions/CertificateService.GenerateCSR`,
        { CommonName: name, CertificateCollection: { '@odata.id': CERTIFICATES.replace(/\?.*/, '') } },
      );
      setCsr(body.CSRString);
      return 'The request is ready. The BMC keeps its key.';
    }, [client, name]),
  );
  return (
    <Card title="Signing request">
      <p class="quiet">
        The BMC makes a key and a request for it. Your certificate authority makes a certificate of the request.
      </p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void generate();
        }}
      >
        <TextField label="Common name" value={name} onInput={setName} placeholder="bmc.example.com" isRequired />
        <div class="buttons">
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Make a request
          </Button>
        </div>
      </form>
      {csr !== undefined && (
        <pre class="pem" tabIndex={0} aria-label="Certificate signing request">
          {csr}
        </pre>
      )}
    </Card>
  );
}

function Replace({ uri }: { uri: string }): JSX.Element {
  const { client, store } = useBmc();
  const [pem, setPem] = useState('');
  const [isDone, setDone] = useState(false);
  const [replace, isBusy] = useAction(
    useCallback(async () => {
      const isChain = pem.split('-----BEGIN CERTIFICATE-----').length > 2;
      await client.send('POST', `${CERTIFICATE_SERVICE}/Actions/CertificateService.ReplaceCertificate`, {
        CertificateString: pem,
        CertificateType: isChain ? 'PEMchain' : 'PEM',
        CertificateUri: { '@odata.id': uri },
      });
      setPem('');
      setDone(true);
      await store.refresh(CERTIFICATES);
      return 'The certificate is replaced.';
    }, [client, store, pem, uri]),
  );
  return (
    <Card title="Replace the certificate">
      <p class="quiet">
        Of the last request’s key, or with its own key behind it. Issuers follow the certificate of the BMC.
      </p>
      {isDone && (
        <Message tone="good">
          New connections get the new certificate. If this page cannot reach the BMC later, your browser does not trust
          it: reload the page then, and log in again.
        </Message>
      )}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void replace();
        }}
      >
        <TextField
          label="Certificate in PEM"
          value={pem}
          onInput={setPem}
          isLong
          placeholder="-----BEGIN CERTIFICATE-----"
        />
        <div class="buttons">
          <Button
            type="submit"
            kind="primary"
            isBusy={isBusy}
            reason={pem.trim() === '' ? 'Enter a certificate first.' : undefined}
          >
            Replace
          </Button>
        </div>
      </form>
    </Card>
  );
}
