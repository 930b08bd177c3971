module application {
    requires org.iprofagent;
}
