const text = { type: 'string' };

const spec = {
  type: 'object',
  properties: {
    colour: { type: 'string', enum: ['red', 'green'] },
    size: { type: 'integer', minimum: 0, maximum: 9, default: 3 },
    note: { type: 'string', maxLength: 5, nullable: true },
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    parts: { type: 'array', items: text },
    ports: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: text, number: { type: 'integer', default: 80 } },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    limits: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
    whole: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
  'x-kubernetes-validations': [
    { rule: "!has(self.colour) || self.colour != 'green' || self.size > 1", message: 'green is large' },
    { rule: '!has(oldSelf.colour) || has(self.colour)', message: 'a colour stays' },
  ],
};

/** A kind whose schema has one of everything that writes have to deal with. */
export function widgetDefinition(group: string): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Colour', type: 'string', jsonPath: '.spec.colour' },
            { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
          ],
          selectableFields: [{ jsonPath: '.spec.colour' }],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                spec,
                status: { type: 'object', properties: { ready: { type: 'boolean' }, count: { type: 'integer' } } },
              },
            },
          },
        },
      ],
    },
  };
}
