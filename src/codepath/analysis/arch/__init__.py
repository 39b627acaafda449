"""What a tree does on each GPU architecture: probes bound to one, predicates, tables and branches evaluated."""
