import { describe, expect, it } from 'vitest';
import { base, RedfishError } from './messages.ts';

describe('base', () => {
  it('inserts the arguments', () => {
    expect(base('PropertyValueNotInList', ['Nmi', 'ResetType'], ['#/ResetType'])).toEqual({
      MessageId: 'Base.1.19.PropertyValueNotInList',
      Message: "The value 'Nmi' for the property ResetType is not in the list of acceptable values.",
      MessageArgs: ['Nmi', 'ResetType'],
      MessageSeverity: 'Warning',
      Resolution:
        'Choose a value from the enumeration list that the implementation can support and resubmit the request if the operation failed.',
      RelatedProperties: ['#/ResetType'],
    });
  });

  it('omits missing properties', () => {
    const message = base('HeaderInvalid');
    expect(message.Message).toBe("Header '' is invalid.");
    expect(message).not.toHaveProperty('RelatedProperties');
  });

  it('truncates long arguments', () => {
    const long = `${'x'.repeat(127)}${'😀'.repeat(10_000)}`;
    const cut = `${'x'.repeat(127)}…`;
    expect(base('PropertyUnknown', [long], [`#/${long}`])).toMatchObject({
      Message: `The property ${cut} is not in the list of valid properties for the resource.`,
      MessageArgs: [cut],
      RelatedProperties: [`#/${'x'.repeat(126)}…`],
    });
    expect(base('PropertyUnknown', ['x'.repeat(128)]).MessageArgs).toEqual(['x'.repeat(128)]);
  });

  it('does not interpret placeholders inside arguments', () => {
    expect(base('HeaderInvalid', ['%1$&']).Message).toBe("Header '%1$&' is invalid.");
  });
});

describe('RedfishError', () => {
  it('joins the sentences of its messages', () => {
    const error = new RedfishError(400, [base('Success'), base('NoOperation')]);
    expect(error.message).toContain('completed successfully. The request body');
    expect(error.headers).toEqual({});
  });
});
