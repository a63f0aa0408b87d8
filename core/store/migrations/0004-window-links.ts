// Other links of a pane's window carry their index. The next listing tells all of them again.

export const windowLinksMigration = {
  version: 4,
  name: "window links",
  sql: `
    UPDATE panes SET detail = json_set(detail, '$.alsoIn', json('[]')) WHERE json_valid(detail);
  `,
} as const;
