"""Where None comes from: the nullness of local names and paths inside a scope, and its flow between scopes."""
