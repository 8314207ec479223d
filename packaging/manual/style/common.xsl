<?xml version="1.0" encoding="UTF-8"?>
<!-- Shared by all style sheets: the location of directives, and an error for unknown elements. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">

<!-- The pages of the modules, which describe the directives. -->
<xsl:variable name="modules" select="document('../mod_useradmin.xml') | document('../mod_auth_useradmin.xml')"/>
<!-- Every page, in the order of the index. -->
<xsl:variable name="index" select="document('../index.xml')"/>

<!-- The module whose page describes a directive. -->
<xsl:template name="module-of">
  <xsl:param name="directive"/>
  <xsl:variable name="found" select="$modules//directivesynopsis[name = $directive and not(@location)]"/>
  <xsl:if test="count($found) != 1">
    <xsl:message terminate="yes">The directive <xsl:value-of select="$directive"/> is described <xsl:value-of select="count($found)"/> times.</xsl:message>
  </xsl:if>
  <xsl:value-of select="$found/../name"/>
</xsl:template>

<!-- "server config, virtual host, directory" -->
<xsl:template match="contextlist">
  <xsl:for-each select="context">
    <xsl:if test="position() &gt; 1">, </xsl:if>
    <xsl:value-of select="."/>
  </xsl:for-each>
</xsl:template>

<!-- Without this template, an unknown element would be dropped silently. -->
<xsl:template match="*">
  <xsl:message terminate="yes">The manual has no element &lt;<xsl:value-of select="name()"/>&gt; in &lt;<xsl:value-of select="name(..)"/>&gt;.</xsl:message>
</xsl:template>

</xsl:stylesheet>
